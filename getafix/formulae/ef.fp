// The entry-forward algorithm [LMP09 §4.2].
//
// Summary(u, v): the procedure that begins at u, which is reachable, can reach v. Such pairs are path edges: their roles, and
// those of a call, say how a trace is read off what each round added.

mu bool Summary(State u @entry, State v @now) =
    // clause 1: where the program begins
    (Entry(u.pc) & u = v & Init(u.pc))
    // clause 2: a step inside the procedure
  | (exists State x. (Summary(u, x) & ProgramInt(x, v)))
    // clause 3: into a call
  | (exists State x, y. (Summary(x, y) & IntoCall(y, u) & u = v))
    // clause 4: over a call
  | (exists State x @caller, y @callee, z @exit. (
        Summary(u, x) & IntoCall(x, y) & Summary(y, z) & Exit(z.pc) & Return(x, z, v)));

query exists State u, v. (Summary(u, v) & Target(v.pc));
