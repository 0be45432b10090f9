// Reachability in concurrent programs whose threads do not recurse, within K context switches.
//
// Reach(cs, t, w): some execution switches contexts cs times, and then thread t runs, and all threads together are in
// the state w. So nothing has to be known of earlier contexts. Of such states the model gives Start(t, w): execution
// can begin so, with thread t; Step(t, x, w): a step of thread t; Pauses(t, w): thread t may be switched from;
// Started(t, w): it may be switched to; Target(t, w): it is at what is asked for.

mu bool Reach(Context cs @context, Thread t @thread, World w @world) =
    (cs = 0 & Start(t, w))
  | (exists World x @before. (Reach(cs, t, x) & Step(t, x, w)))
  | (exists Context cs', Thread t'. (
        Reach(cs', t', w) & Pauses(t', w) & t != t' & cs = cs' + 1 & Started(t, w)));

query exists Context cs, Thread t, World w. (Reach(cs, t, w) & Target(t, w));
