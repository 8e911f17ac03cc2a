//! Strongly connected components of small graphs that are at hand as lists of successors. Engines that search
//! spaces have their own way.

/// The components of the nodes that are `within`, each with its nodes; components that can be reached from another
/// one come before it.
pub fn components(next: &[&[u32]], within: &impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut search = Tarjan { index: vec![usize::MAX; next.len()], ..Tarjan::default() };
    search.low = search.index.clone();
    search.open = vec![false; next.len()];
    for root in 0..next.len() {
        if within(root) && search.index[root] == usize::MAX {
            search.from(root, next, within);
        }
    }
    search.found
}

/// Whether a component has a cycle.
pub fn has_cycle(component: &[usize], next: &[&[u32]]) -> bool {
    component.len() > 1 || next[component[0]].contains(&(component[0] as u32))
}

#[derive(Default)]
struct Tarjan {
    index: Vec<usize>,
    low: Vec<usize>,
    open: Vec<bool>,
    stack: Vec<usize>,
    count: usize,
    found: Vec<Vec<usize>>,
}

impl Tarjan {
    fn enter(&mut self, node: usize) {
        self.index[node] = self.count;
        self.low[node] = self.count;
        self.count += 1;
        self.open[node] = true;
        self.stack.push(node);
    }

    fn from(&mut self, root: usize, next: &[&[u32]], within: &impl Fn(usize) -> bool) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if let Some(&to) = next[node].get(*edge) {
                *edge += 1;
                let to = to as usize;
                if !within(to) {
                    continue;
                }
                if self.index[to] == usize::MAX {
                    self.enter(to);
                    path.push((to, 0));
                } else if self.open[to] {
                    self.low[node] = self.low[node].min(self.index[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                let begin = self.stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = self.stack.split_off(begin);
                component.iter().for_each(|&member| self.open[member] = false);
                self.found.push(component);
            }
        }
    }
}
