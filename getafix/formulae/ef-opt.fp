// The optimised entry-forward algorithm [LMP09 §4.3].
//
// One round takes all steps inside procedures and one step into or over each call, and only from program counters of
// states that the round before found. Summary(1, u, v) holds of what was found so far, Summary(0, u, v) of what had been
// found a round earlier. Where it differs from the text of the paper: [7] relates the callee's entry to itself, not to
// the caller's entry; [8] and [9] ask for fr = 1; [11] stands as two clauses, so that each begins with its
// small relation.

mu bool Summary(bool fr, State u, State v @now) =
    (fr = 1 & Entry(u.pc) & u = v & Init(u.pc))                                          // [1]
  | Summary(1, u, v)                                                                     // [2]
  | (fr = 1 & (New1(u, v) | New2(u, v)));                                                // [3]

mu bool Relevant(PC pc) =
    exists State u, v. (Summary(1, u, v) & !Summary(0, u, v) & v.pc = pc);               // [4]

mu bool New1(State u, State v) =
    (Summary(1, u, v) & Relevant(v.pc))                                                  // [5]
  | (exists State x. (New1(u, x) & ProgramInt(x, v)));                                   // [6]

mu bool New2(State u, State v) =
    (exists State x, y. (Relevant(y.pc) & Summary(1, x, y) & IntoCall(y, u) & u = v))    // [7]
  | (exists State x, y, z. (Relevant(x.pc)                                               // [11], left
      & Summary(1, u, x) & IntoCall(x, y)                                                // [8]
      & Summary(1, y, z)                                                                 // [9]
      & Exit(z.pc) & Return(x, z, v)))                                                   // [10]
  | (exists State x, y, z. (Relevant(z.pc)                                               // [11], right
      & Summary(1, u, x) & IntoCall(x, y)                                                // [8]
      & Summary(1, y, z)                                                                 // [9]
      & Exit(z.pc) & Return(x, z, v)));                                                  // [10]

// What is found stays found, so an intermediate value may answer.
query early exists State u, v. (Summary(1, u, v) & Target(v.pc));
