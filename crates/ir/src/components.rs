//! Strongly connected components of small integer graphs, without recursion (Tarjan's algorithm with its own stack).

/// For each node the number of its component; components are numbered callees first: an edge leads to the same or a
/// smaller number.
pub fn components(succs: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let n = succs.len();
    let (mut order, mut low, mut component) = (vec![UNSEEN; n], vec![0; n], vec![UNSEEN; n]);
    let (mut next, mut found) = (0, 0);
    let mut open = vec![];
    for start in 0..n {
        if order[start] != UNSEEN {
            continue;
        }
        let mut work = vec![(start, 0)];
        while let Some((v, at)) = work.pop() {
            if at == 0 {
                (order[v], low[v]) = (next, next);
                next += 1;
                open.push(v);
            }
            if let Some(w) = succs[v].get(at) {
                work.push((v, at + 1));
                if order[*w] == UNSEEN {
                    work.push((*w, 0));
                } else if component[*w] == UNSEEN {
                    low[v] = low[v].min(order[*w]);
                }
                continue;
            }
            if low[v] == order[v] {
                while let Some(w) = open.pop() {
                    component[w] = found;
                    if w == v {
                        break;
                    }
                }
                found += 1;
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
        }
    }
    component
}

/// For each node whether there is a way from it back to it.
pub fn cyclic(succs: &[Vec<usize>]) -> Vec<bool> {
    let component = components(succs);
    let mut sizes = vec![0u32; succs.len()];
    component.iter().for_each(|c| sizes[*c] += 1);
    (0..succs.len()).map(|v| 1 < sizes[component[v]] || succs[v].contains(&v)).collect()
}
