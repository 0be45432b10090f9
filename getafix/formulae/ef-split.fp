// The entry-forward algorithm with the step over a call split in two [LMP09 §4.2, end].
//
// The caller's half and the callee's half are joined with small relations first, and refer to each other by a
// program counter on each side and the values at the callee's entry.

mu bool Summary(State u, State v @now) =
    // clause 1: where the program begins
    (Entry(u.pc) & u = v & Init(u.pc))
    // clause 2: a step inside the procedure
  | (exists State x. (Summary(u, x) & ProgramInt(x, v)))
    // clause 3: into a call
  | (exists State x, y. (Summary(x, y) & IntoCall(y, u) & u = v))
    // clause 4: over a call
  | (exists PC xpc, PC zpc, Local yLocal, Global yGlobal. (
        // (A) the caller
        (exists State x. (
            Summary(u, x) & ReturnA(x, zpc, v) & IntoCall1(x, zpc, yLocal, yGlobal) & xpc = x.pc))
        // (B) the callee
      & (exists State y, z. (
            Summary(y, z) & yGlobal = y.Global & yLocal = y.Local
          & zpc = z.pc & Exit(z.pc) & ReturnB(y, z, xpc, v)))));

query exists State u, v. (Summary(u, v) & Target(v.pc));
