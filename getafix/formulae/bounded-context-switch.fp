// Reachability in concurrent programs within K context switches [LMP09 §5.1].
//
// Reach(u, v, ecs, cs, g, t): some execution switches contexts cs times, the i-th time with shared globals g[i], from
// thread t[i-1] to thread t[i], and then thread t[cs] is at v, in a procedure that it entered at u after ecs switches.
// Elements of g and t beyond cs may have any value.
//
// Where it differs from the text of the paper:
// - a thread that goes on goes on from where it was switched from: v' has the globals of that switch (as printed, any
//   state of its last context would do);
// - the program counter is restored like the locals, and so are the thread's own globals;
// - no switch happens at an Atomic state, and a thread runs only when it has been Started;
// - a thread does not take over from itself.

// Thread t[s] is active in context s for the first time.
bool First(Context s, Thread t[0..K]) = forall Context r. (r < s -> t[r] != t[s]);

// Context r is the last one before s in which thread t[s] was active; it ended before the context before s.
bool Consecutive(Context r, Context s, Thread t[0..K]) =
    r + 1 < s & t[r] = t[s] & forall Context i. (r < i & i < s -> t[i] != t[s]);

mu bool Reach(
    State u, State v @now, Context ecs, Context cs @context, Global g[1..K] @switches, Thread t[0..K] @threads) =
    // [initial tuples]
    (cs = 0 & ecs = 0 & Entry(u.pc) & u = v & Begin(t[0], u.pc))
    // [internal transitions]
  | (exists State x. (Reach(u, x, ecs, cs, g, t) & ProgramInt(x, v)))
    // [call transitions]
  | (exists State x, y, Context ecs'. (
        Reach(x, y, ecs', cs, g, t) & IntoCall(y, u) & ecs = cs & u = v))
    // [return transitions]
  | (exists State x, y, z, Context cs'. (
        Reach(u, x, ecs, cs', g, t) & IntoCall(x, y) & Reach(y, z, cs', cs, g, t)
      & Exit(z.pc) & Return(x, z, v) & cs' <= cs))
    // [switching to a thread for the first time]
  | (exists State x, y, Context cs', ecs'. (
        Reach(x, y, ecs', cs', g, t) & !Atomic(y) & cs = cs' + 1
      & First(cs, t) & Started(t[cs], y) & g[cs] = y.Global
      & v.Global = g[cs] & u = v & ecs = cs & Init(t[cs], v.pc)))
    // [switching back to a thread]
  | ((exists State x, y, Context cs', ecs'. (
        Reach(x, y, ecs', cs', g, t) & !Atomic(y) & cs = cs' + 1
      & g[cs] = y.Global & v.Global = y.Global))
     & (exists State v', Context cs''. (
        Reach(u, v', ecs, cs'', g, t) & !Atomic(v') & Consecutive(cs'', cs, t)
      & v'.Global = g[cs'' + 1]
      & v.pc = v'.pc & v.Local = v'.Local & v.Own = v'.Own)));

query exists State u, v, Context ecs, cs, Global g[1..K], Thread t[0..K]. (
    Reach(u, v, ecs, cs, g, t) & Target(v.pc));
