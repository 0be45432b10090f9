// The simple algorithm by summaries [LMP09 §4.1].
//
// Summary(u, v): the procedure that begins at u can reach v. The entries of all procedures are there, reachable or
// not, so only what the entry procedure reaches is known to be reachable. The goal is moved there.

mu bool Summary(State u, State v @now) =
    // clause 1
    (Entry(u.pc) & u = v)
    // clause 2
  | (exists State x. (Summary(u, x) & ProgramInt(x, v)))
    // clause 3
  | (exists State x, y, z. (
        Summary(u, x) & IntoCall(x, y) & Summary(y, z) & Exit(z.pc) & Return(x, z, v)));

query exists State u, v. (Init(u.pc) & Target(v.pc) & Summary(u, v));
