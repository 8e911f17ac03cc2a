//! Ordered binary decision diagrams: every boolean function over numbered variables has one number here, so
//! that labels are equal just if their numbers are. Knows nothing of formulas or of time.

use std::collections::HashMap;

/// A boolean function, as a number in its [`DiagramStore`].
pub type DecisionDiagram = u32;

/// The function that is never true.
pub const NEVER: DecisionDiagram = 0;
/// The function that is always true.
pub const ALWAYS: DecisionDiagram = 1;

/// A node: which variable it asks, and where to go for false and for true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DecisionNode {
    /// The variable.
    pub variable: u32,
    /// What remains if it is false.
    pub low: DecisionDiagram,
    /// What remains if it is true.
    pub high: DecisionDiagram,
}

/// All functions that were ever needed.
#[derive(Debug)]
pub struct DiagramStore {
    nodes: Vec<DecisionNode>,
    known: HashMap<DecisionNode, DecisionDiagram>,
    choices: HashMap<(DecisionDiagram, DecisionDiagram, DecisionDiagram), DecisionDiagram>,
}

/// A conjunction of variables and negated variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cube {
    /// Those that must be true.
    pub yes: Vec<u32>,
    /// Those that must be false.
    pub no: Vec<u32>,
}

impl DiagramStore {
    /// No functions but the two constants.
    pub fn new() -> DiagramStore {
        let leaf = |value| DecisionNode { variable: u32::MAX, low: value, high: value };
        DiagramStore {
            nodes: vec![leaf(NEVER), leaf(ALWAYS)],
            known: HashMap::new(),
            choices: HashMap::new(),
        }
    }

    /// A variable.
    pub fn variable(&mut self, variable: u32) -> DecisionDiagram {
        self.node(DecisionNode { variable, low: NEVER, high: ALWAYS })
    }

    /// The opposite.
    pub fn not(&mut self, f: DecisionDiagram) -> DecisionDiagram {
        self.choice(f, NEVER, ALWAYS)
    }

    /// Both.
    pub fn and(&mut self, f: DecisionDiagram, g: DecisionDiagram) -> DecisionDiagram {
        self.choice(f, g, NEVER)
    }

    /// One or both.
    pub fn or(&mut self, f: DecisionDiagram, g: DecisionDiagram) -> DecisionDiagram {
        self.choice(f, ALWAYS, g)
    }

    /// The first but not the second.
    pub fn minus(&mut self, f: DecisionDiagram, g: DecisionDiagram) -> DecisionDiagram {
        let not = self.not(g);
        self.and(f, not)
    }

    /// Whether the second is true wherever the first is.
    pub fn implies(&mut self, f: DecisionDiagram, g: DecisionDiagram) -> bool {
        self.minus(f, g) == NEVER
    }

    /// How a function that is no constant begins.
    pub fn top(&self, f: DecisionDiagram) -> Option<DecisionNode> {
        (f > ALWAYS).then(|| self.nodes[f as usize])
    }

    /// The function as one conjunction, if it is one.
    pub fn cube(&self, mut f: DecisionDiagram) -> Option<Cube> {
        let mut cube = Cube::default();
        while let Some(node) = self.top(f) {
            if node.low == NEVER {
                cube.yes.push(node.variable);
                f = node.high;
            } else if node.high == NEVER {
                cube.no.push(node.variable);
                f = node.low;
            } else {
                return None;
            }
        }
        (f == ALWAYS).then_some(cube)
    }

    /// Conjunctions that exclude each other, and of which one is true just if the function is.
    pub fn cubes(&self, f: DecisionDiagram) -> Vec<Cube> {
        let Some(node) = self.top(f) else {
            return if f == ALWAYS { vec![Cube::default()] } else { Vec::new() };
        };
        let mut cubes = self.cubes(node.low);
        cubes.iter_mut().for_each(|cube| cube.no.push(node.variable));
        let low = cubes.len();
        cubes.extend(self.cubes(node.high));
        cubes[low..].iter_mut().for_each(|cube| cube.yes.push(node.variable));
        cubes
    }

    /// `f ? g : h`.
    fn choice(&mut self, f: DecisionDiagram, g: DecisionDiagram, h: DecisionDiagram) -> DecisionDiagram {
        match (f, g, h) {
            (ALWAYS, _, _) => return g,
            (NEVER, _, _) => return h,
            (_, ALWAYS, NEVER) => return f,
            _ if g == h => return g,
            _ => {}
        }
        if let Some(&known) = self.choices.get(&(f, g, h)) {
            return known;
        }
        let variable = [f, g, h].map(|part| self.nodes[part as usize].variable).into_iter().min();
        let variable = variable.unwrap_or(u32::MAX);
        let [low, high] = [false, true].map(|value| {
            let [f, g, h] = [f, g, h].map(|part| self.given(part, variable, value));
            self.choice(f, g, h)
        });
        let made = self.node(DecisionNode { variable, low, high });
        self.choices.insert((f, g, h), made);
        made
    }

    /// What remains of a function if its first variable, or an earlier one, has a value.
    fn given(&self, f: DecisionDiagram, variable: u32, value: bool) -> DecisionDiagram {
        let node = self.nodes[f as usize];
        match (node.variable == variable, value) {
            (false, _) => f,
            (true, false) => node.low,
            (true, true) => node.high,
        }
    }

    fn node(&mut self, node: DecisionNode) -> DecisionDiagram {
        if node.low == node.high {
            return node.low;
        }
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let made = self.nodes.len() as DecisionDiagram;
        self.nodes.push(node);
        self.known.insert(node, made);
        made
    }
}
