// Reachability in concurrent programs along one schedule, which bounded-context-switch found: it gives traces their rings.
//
// Reach(u, v, ecs, cs): the thread of context cs can be at v then, in a procedure that it entered at u in context ecs.
// Of the schedule the model gives: Runs(s, t), thread t has context s; Last(r, s), it had context r before, and none
// between; Begins(s, g) and Ends(s, g), g is what is shared when context s begins, and when it ends.

bool Again(Context s) = exists Context r. Last(r, s);

mu bool Reach(State u @entry, State v @now, Context ecs @entered, Context cs @context) =
    // where everything begins
    (cs = 0 & ecs = 0 & Entry(u.pc) & u = v & (exists Thread t. (Runs(cs, t) & Begin(t, u.pc))))
    // a step inside the procedure
  | (exists State x. (Reach(u, x, ecs, cs) & ProgramInt(x, v)))
    // into a call
  | (exists State x, y, Context ecs'. (Reach(x, y, ecs', cs) & IntoCall(y, u) & ecs = cs & u = v))
    // over a call
  | (exists State x @caller, y @callee, z @exit, Context cs' @called. (
        Reach(u, x, ecs, cs') & IntoCall(x, y) & Reach(y, z, cs', cs) & Exit(z.pc) & Return(x, z, v)))
    // a thread's first context
  | (cs != 0 & !Again(cs) & ecs = cs & u = v & Begins(cs, v.Global)
     & (exists Thread t. (Runs(cs, t) & Init(t, v.pc) & Started(t, v))))
    // a thread goes on
  | (exists State v', Context cs''. (
        Reach(u, v', ecs, cs'') & !Atomic(v') & Last(cs'', cs) & Ends(cs'', v'.Global)
      & Begins(cs, v.Global) & v.pc = v'.pc & v.Local = v'.Local & v.Own = v'.Own));

query exists State u, v, Context ecs, cs. (Reach(u, v, ecs, cs) & cs = K & Target(v.pc));
