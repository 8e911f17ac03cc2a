//! Strongly connected components of a part of a graph, by Pearce's variant of Tarjan's algorithm: one number
//! for each node, no recursion, every edge read once.

use super::adjacency::Adjacency;
use super::bits::Bits;
use super::cancellation::Cancellation;
use watchkeeper_logic::Limit;

/// The components of a graph, found part by part. Numbers of components are never used twice, so a node is in
/// a component exactly if it has its number.
pub(crate) struct Components<'a> {
    steps: &'a Adjacency,
    /// 0: not seen in this run. While a run lasts, small numbers are places in its order; numbers counted
    /// down from the largest are components.
    number: Vec<u32>,
    last: u32,
}

/// Some components, one after the other.
#[derive(Default)]
pub(crate) struct ComponentList {
    members: Vec<u32>,
    bounds: Vec<usize>,
}

impl ComponentList {
    /// The number of components.
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// The nodes of one.
    pub fn nodes(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.bounds[at - 1] };
        &self.members[start..self.bounds[at]]
    }
}

struct Frame {
    node: u32,
    next: u32,
    root: bool,
}

impl<'a> Components<'a> {
    pub fn new(steps: &'a Adjacency) -> Components<'a> {
        Components { steps, number: vec![0; steps.nodes()], last: u32::MAX }
    }

    /// The number of the component of a node.
    #[inline]
    pub fn number(&self, node: u32) -> u32 {
        self.number[node as usize]
    }

    /// The components of the graph within a region in which a cycle exists; `roots` are all nodes of the
    /// region. `None` if the callback stopped it.
    pub fn within(
        &mut self,
        region: &Bits,
        roots: impl Iterator<Item = u32> + Clone,
        cancellation: &Cancellation<'_>,
    ) -> Option<ComponentList> {
        // Places count up from 1 and components down from the top; the two must not meet.
        if (self.last as usize) < 3 * self.number.len() + 3 {
            let why = "fairness takes the graph apart into more parts than can be numbered";
            cancellation.give_up(Limit::Incomplete(why.to_string()));
            return None;
        }
        roots.clone().for_each(|node| self.number[node as usize] = 0);
        let (mut found, mut index) = (ComponentList::default(), 1u32);
        let (mut stack, mut frames): (Vec<u32>, Vec<Frame>) = (Vec::new(), Vec::new());
        let mut work = 0u32;
        for root in roots {
            if self.number[root as usize] != 0 {
                continue;
            }
            self.number[root as usize] = index;
            index += 1;
            frames.push(Frame { node: root, next: 0, root: true });
            while let Some(frame) = frames.last_mut() {
                let (node, targets) = (frame.node, self.steps.of(frame.node));
                let (mut lowest, mut unseen) = (self.number[node as usize], None);
                while let (Some(&target), None) = (targets.get(frame.next as usize), unseen) {
                    frame.next += 1;
                    match self.number[target as usize] {
                        _ if !region.has(target) => {}
                        0 => unseen = Some(target),
                        number if number < lowest => (lowest, frame.root) = (number, false),
                        _ => {}
                    }
                }
                self.number[node as usize] = lowest;
                if let Some(target) = unseen {
                    self.number[target as usize] = index;
                    index += 1;
                    frames.push(Frame { node: target, next: 0, root: true });
                    work += 1;
                    if work & 0xffff == 0 && cancellation.stopped() {
                        return None;
                    }
                    continue;
                }
                let is_root = frame.root;
                frames.pop();
                if let Some(parent) = frames.last_mut()
                    && self.number[node as usize] < self.number[parent.node as usize]
                {
                    self.number[parent.node as usize] = self.number[node as usize];
                    parent.root = false;
                }
                if !is_root {
                    stack.push(node);
                    continue;
                }
                let start = found.members.len();
                let lowest = self.number[node as usize];
                while let Some(&top) = stack.last() {
                    if self.number[top as usize] < lowest {
                        break;
                    }
                    stack.pop();
                    self.number[top as usize] = self.last;
                    found.members.push(top);
                }
                self.number[node as usize] = self.last;
                found.members.push(node);
                index -= (found.members.len() - start) as u32;
                self.last -= 1;
                if found.members.len() - start == 1 && !targets.contains(&node) {
                    found.members.truncate(start);
                } else {
                    found.bounds.push(found.members.len());
                }
            }
        }
        Some(found)
    }
}
