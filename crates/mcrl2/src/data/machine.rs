//! The machine that evaluates: innermost rewriting on a stack of values. A call in the last place of an equation takes no room,
//! and where other calls nest so deeply that the stack of the thread would not do, the rest goes on on a thread with a large one.

use super::code::{Comprehended, DataCode, FunctionCode, Quantified, RewriteProgram};
use super::deep::{SHALLOW_BYTES, address};
use super::error::EvaluationError;
use super::memo::CallMemo;
use super::store::{ValueHead, ValueId, ValueStore};
use crate::error::{LONGEST_NAME, shortened};
use crate::typing::{FunctionId, FunctionRole, Operation};

/// What goes wrong is seldom, and large.
pub(super) type Evaluated<T = ValueId> = Result<T, Box<EvaluationError>>;

/// How many equations are used for one expression before that counts as endless.
pub(super) const DEFAULT_STEPS: u64 = 50_000_000;

/// How many branches of undecided conditions are followed within each other, and how many operands of undecided connectives.
const MAX_BRANCHES: u32 = 8;
const MAX_OPERANDS: u32 = 64;

/// The state of the machine.
#[derive(Debug)]
pub(super) struct RewriteMachine {
    pub(super) store: ValueStore,
    pub(super) stack: Vec<ValueId>,
    pub(super) memo: CallMemo,
    /// The values of functions without arguments.
    pub(super) constants: Vec<Option<ValueId>>,
    pub(super) elements: std::collections::HashMap<crate::typing::SortId, std::sync::Arc<[ValueId]>>,
    /// How many equations were used, ever, and where this evaluation must stop.
    pub(super) steps: u64,
    stop: u64,
    pub(super) max_steps: u64,
    /// The function whose equation was used last.
    pub(super) last: Option<FunctionId>,
    /// The lowest address that the stack of the thread may come down to; zero between evaluations.
    pub(super) floor: usize,
    pub(super) deep: bool,
    pub(super) next_unknown: u32,
    /// How many branches and operands are evaluated before it is known whether they are needed.
    ahead: [u32; 2],
    /// How many values were left open that way.
    opaque: u32,
    /// How many searches for values are under way within each other, and how much they have looked at.
    pub(super) tried: u64,
}

/// What is evaluated before it is known whether it is needed.
#[derive(Clone, Copy)]
enum Ahead {
    Branch,
    Operand,
}

/// Where evaluation goes on after a step in the last place.
enum Next {
    Value(ValueId),
    Call(FunctionId),
}

impl RewriteMachine {
    pub(super) fn new() -> Self {
        Self {
            store: ValueStore::new(),
            stack: Vec::new(),
            memo: CallMemo::new(),
            constants: Vec::new(),
            elements: std::collections::HashMap::new(),
            steps: 0,
            stop: DEFAULT_STEPS,
            max_steps: DEFAULT_STEPS,
            last: None,
            floor: 0,
            deep: false,
            next_unknown: 0,
            ahead: [0; 2],
            opaque: 0,
            tried: 0,
        }
    }

    /// Does something with a new budget of steps, and cleans up behind it.
    pub(super) fn run<T>(&mut self, work: impl FnOnce(&mut Self) -> Evaluated<T>) -> Evaluated<T> {
        if self.floor != 0 {
            return work(self);
        }
        self.floor = address().saturating_sub(SHALLOW_BYTES).max(1);
        self.stop = self.steps + self.max_steps;
        self.tried = 0;
        self.ahead = [0; 2];
        let result = work(self);
        self.floor = 0;
        if result.is_err() {
            self.stack.clear();
        }
        result
    }

    /// The value of code in a frame with these values, and room for more.
    pub(super) fn eval_with(
        &mut self,
        p: &RewriteProgram,
        code: &DataCode,
        values: &[ValueId],
        frame: usize,
    ) -> Evaluated {
        let base = self.stack.len();
        self.stack.extend_from_slice(values);
        self.stack.resize(base + frame.max(values.len()), ValueId::FALSE);
        let value = self.eval(p, code, base)?;
        self.stack.truncate(base);
        Ok(value)
    }

    pub(super) fn eval(&mut self, p: &RewriteProgram, code: &DataCode, base: usize) -> Evaluated {
        match code {
            DataCode::Constant(value) => return Ok(*value),
            DataCode::Slot(slot) => return Ok(self.stack[base + *slot as usize]),
            _ => {}
        }
        if address() < self.floor {
            return self.elsewhere(|machine| machine.eval(p, code, base));
        }
        match code {
            DataCode::Constant(value) => Ok(*value),
            DataCode::Slot(slot) => Ok(self.stack[base + *slot as usize]),
            DataCode::Call(function, arguments) => {
                let top = self.stack.len();
                self.push_all(p, arguments, base)?;
                self.call(p, *function, top)
            }
            DataCode::Native(operation, over, operands) => {
                let top = self.stack.len();
                self.push_all(p, operands, base)?;
                let value = self.native_or_rules(p, *operation, *over, top)?;
                self.stack.truncate(top);
                Ok(value)
            }
            DataCode::Not(operand) => {
                let value = self.eval(p, operand, base)?;
                Ok(self.not(value))
            }
            DataCode::And(operands) => {
                let left = self.eval(p, &operands[0], base)?;
                match left {
                    ValueId::FALSE => Ok(ValueId::FALSE),
                    ValueId::TRUE => self.eval(p, &operands[1], base),
                    _ => {
                        let right = self.look_ahead(p, &operands[1], base, Ahead::Operand)?;
                        Ok(self.and(left, right))
                    }
                }
            }
            DataCode::Or(operands) => {
                let left = self.eval(p, &operands[0], base)?;
                match left {
                    ValueId::TRUE => Ok(ValueId::TRUE),
                    ValueId::FALSE => self.eval(p, &operands[1], base),
                    _ => {
                        let right = self.look_ahead(p, &operands[1], base, Ahead::Operand)?;
                        Ok(self.or(left, right))
                    }
                }
            }
            DataCode::Implies(operands) => {
                let left = self.eval(p, &operands[0], base)?;
                match left {
                    ValueId::FALSE => Ok(ValueId::TRUE),
                    ValueId::TRUE => self.eval(p, &operands[1], base),
                    _ => {
                        let right = self.look_ahead(p, &operands[1], base, Ahead::Operand)?;
                        let opposite = self.not(left);
                        Ok(self.or(opposite, right))
                    }
                }
            }
            DataCode::If(_) | DataCode::Let(..) => match self.tail(p, code, base)? {
                Next::Value(value) => Ok(value),
                Next::Call(function) => {
                    // The arguments are on top of the stack.
                    let arguments = p.function(function).domain.len();
                    self.call(p, function, self.stack.len() - arguments)
                }
            },
            _ => self.eval_seldom(p, code, base),
        }
    }

    /// What would only make the frame of [`Self::eval`] larger.
    #[inline(never)]
    fn eval_seldom(&mut self, p: &RewriteProgram, code: &DataCode, base: usize) -> Evaluated {
        let top = self.stack.len();
        match code {
            DataCode::Apply(function, arguments) => {
                let function = self.eval(p, function, base)?;
                self.push_all(p, arguments, base)?;
                self.apply(p, function, top)
            }
            DataCode::Lambda(body, captures) => {
                let captured = self.captured(captures, base);
                Ok(self.store.value(ValueHead::Lambda(*body), &captured))
            }
            DataCode::Quantifier(quantified, body, captures) => {
                let captured = self.captured(captures, base);
                let holds = self.quantify(p, *quantified == Quantified::Exists, *body, &captured)?;
                Ok(ValueId::truth(holds))
            }
            DataCode::Comprehension(kind, body, captures) => {
                let captured = self.captured(captures, base);
                let function = self.store.value(ValueHead::Lambda(*body), &captured);
                Ok(match kind {
                    Comprehended::Set => self.set_of_function(function),
                    Comprehended::Bag => self.bag_of_function(function),
                })
            }
            DataCode::Set(elements) => {
                self.push_all(p, elements, base)?;
                let elements = self.stack.split_off(top);
                Ok(self.finite_set(elements))
            }
            DataCode::Bag(elements) => {
                let mut counted = Vec::with_capacity(elements.len());
                for (element, count) in elements {
                    let element = self.eval(p, element, base)?;
                    self.stack.push(element);
                    let count = self.eval(p, count, base)?;
                    self.stack.truncate(top);
                    counted.push((element, count));
                }
                Ok(self.finite_bag(counted))
            }
            _ => self.eval(p, code, base),
        }
    }

    /// What would be needed if something that is not known were known. A recursion may go on for ever that way, since nothing
    /// tells it to stop; what lies further ahead than anybody looks is a value that is equal to nothing else.
    #[inline(never)]
    fn look_ahead(&mut self, p: &RewriteProgram, code: &DataCode, base: usize, what: Ahead) -> Evaluated {
        let (place, most) = match what {
            Ahead::Branch => (0, MAX_BRANCHES),
            Ahead::Operand => (1, MAX_OPERANDS),
        };
        if self.ahead[place] >= most {
            self.opaque += 1;
            return Ok(self.store.value(ValueHead::Unknown(u32::MAX - self.opaque), &[]));
        }
        self.ahead[place] += 1;
        let value = self.eval(p, code, base);
        self.ahead[place] -= 1;
        value
    }

    #[inline(never)]
    fn push_all(&mut self, p: &RewriteProgram, codes: &[DataCode], base: usize) -> Evaluated<()> {
        for code in codes {
            let value = match code {
                DataCode::Constant(value) => *value,
                DataCode::Slot(slot) => self.stack[base + *slot as usize],
                code => self.eval(p, code, base)?,
            };
            self.stack.push(value);
        }
        Ok(())
    }

    #[inline(never)]
    fn captured(&self, captures: &[u32], base: usize) -> Vec<ValueId> {
        captures.iter().map(|slot| self.stack[base + *slot as usize]).collect()
    }

    /// The value of a function for the arguments on top of the stack, which are taken away.
    pub(super) fn call(&mut self, p: &RewriteProgram, function: FunctionId, base: usize) -> Evaluated {
        let code = p.function(function);
        let arguments = self.stack.len() - base;
        if arguments == 0
            && let Some(Some(value)) = self.constants.get(function.0 as usize)
        {
            return Ok(*value);
        }
        let remembered = code.remembered && arguments > 0;
        let key = if remembered {
            let key = self.memo.key(function, &self.stack[base..]);
            if let Some(value) = key.as_ref().and_then(|key| self.memo.find(key)) {
                self.stack.truncate(base);
                return Ok(value);
            }
            key
        } else {
            None
        };
        let value = self.call_now(p, function, base)?;
        self.stack.truncate(base);
        if let Some(key) = key {
            self.memo.remember(key, value);
        }
        if arguments == 0
            && self.store.is_plain(value)
            && let Some(constant) = self.constants.get_mut(function.0 as usize)
        {
            *constant = Some(value);
        }
        Ok(value)
    }

    #[inline(never)]
    fn call_now(&mut self, p: &RewriteProgram, mut function: FunctionId, base: usize) -> Evaluated {
        loop {
            let code = p.function(function);
            let arguments = self.stack.len() - base;
            let rules = code.rules.iter().find(|rules| rules.arguments == arguments);
            if let Some(rules) = rules {
                if let Some(rule) = self.matching(p, rules, base)? {
                    self.step(p, function)?;
                    match self.tail(p, &rule.right, base)? {
                        Next::Value(value) => return Ok(value),
                        Next::Call(next) => {
                            let arguments = p.function(next).domain.len();
                            let top = self.stack.len() - arguments;
                            self.stack.copy_within(top.., base);
                            self.stack.truncate(base + arguments);
                            function = next;
                            continue;
                        }
                    }
                }
                self.stack.truncate(base + arguments);
            }
            return Ok(self.stuck_call(code, function, base));
        }
    }

    /// A call that no equation rewrites: a projection, a recogniser, a constructor, or a value of its own.
    #[inline(never)]
    fn stuck_call(&mut self, code: &FunctionCode, function: FunctionId, base: usize) -> ValueId {
        if let [argument] = self.stack[base..] {
            match &code.role {
                FunctionRole::Projection(places) => {
                    if let Some(ValueHead::Function(constructor)) = self.store.head(argument)
                        && let Some((_, place)) = places.iter().find(|(known, _)| *known == constructor)
                    {
                        return self.store.part(argument, *place);
                    }
                }
                FunctionRole::Recogniser(constructor) => {
                    if let Some(ValueHead::Function(made_by)) = self.store.head(argument)
                        && self.store.constructors[made_by.0 as usize]
                    {
                        return ValueId::truth(made_by == *constructor);
                    }
                }
                FunctionRole::Constructor | FunctionRole::Mapping => {}
            }
        }
        self.store.value(ValueHead::Function(function), &self.stack[base..])
    }

    /// Evaluates up to a call in the last place, whose arguments are then on top of the stack.
    fn tail(&mut self, p: &RewriteProgram, code: &DataCode, base: usize) -> Evaluated<Next> {
        let mut code = code;
        loop {
            match code {
                DataCode::If(parts) => {
                    let condition = self.eval(p, &parts[0], base)?;
                    code = match condition {
                        ValueId::TRUE => &parts[1],
                        ValueId::FALSE => &parts[2],
                        _ => {
                            let then = self.look_ahead(p, &parts[1], base, Ahead::Branch)?;
                            let otherwise = self.look_ahead(p, &parts[2], base, Ahead::Branch)?;
                            if then == otherwise {
                                return Ok(Next::Value(then));
                            }
                            let head = ValueHead::Operation(Operation::If);
                            return Ok(Next::Value(self.store.value(head, &[condition, then, otherwise])));
                        }
                    };
                }
                DataCode::Let(values, body) => {
                    let top = self.stack.len();
                    for (_, value) in values {
                        let value = self.eval(p, value, base)?;
                        self.stack.push(value);
                    }
                    for (i, (slot, _)) in values.iter().enumerate() {
                        self.stack[base + *slot as usize] = self.stack[top + i];
                    }
                    self.stack.truncate(top);
                    code = body;
                }
                DataCode::Call(function, arguments) => {
                    self.push_all(p, arguments, base)?;
                    return Ok(Next::Call(*function));
                }
                code => return self.eval(p, code, base).map(Next::Value),
            }
        }
    }

    /// A built-in operation on the operands on top of the stack, which stay. Equations of the specification for it come first.
    #[inline(never)]
    fn native_or_rules(
        &mut self,
        p: &RewriteProgram,
        operation: Operation,
        over: crate::typing::SortId,
        base: usize,
    ) -> Evaluated {
        if !p.natives.is_empty()
            && let Some(rules) = p.native(operation, over)
        {
            let operands = self.stack.len() - base;
            if let Some(rule) = self.matching(p, rules, base)? {
                return self.eval(p, &rule.right, base);
            }
            self.stack.truncate(base + operands);
        }
        self.native(p, operation, over, base)
    }

    /// What a function gives for the arguments on top of the stack, which are taken away.
    #[inline(never)]
    pub(super) fn apply(&mut self, p: &RewriteProgram, function: ValueId, base: usize) -> Evaluated {
        if address() < self.floor {
            return self.elsewhere(|machine| machine.apply(p, function, base));
        }
        let top = self.stack.len();
        let value = match self.store.head(function) {
            Some(ValueHead::Lambda(number)) => {
                let body = &p.bodies[number as usize];
                for place in 0..body.captures {
                    self.stack.push(self.store.part(function, place));
                }
                self.stack.extend_from_within(base..top);
                self.stack.resize(top + body.frame, ValueId::FALSE);
                self.eval(p, &body.code, top)?
            }
            Some(ValueHead::Function(head)) => {
                for place in 0..self.store.parts(function).len() {
                    self.stack.push(self.store.part(function, place));
                }
                self.stack.extend_from_within(base..top);
                self.call(p, head, top)?
            }
            Some(head) => self.apply_built_in(p, head, function, base)?,
            None => self.stuck_application(function, base),
        };
        self.stack.truncate(base);
        Ok(value)
    }

    pub(super) fn stuck_application(&mut self, function: ValueId, base: usize) -> ValueId {
        let mut parts = vec![function];
        parts.extend_from_slice(&self.stack[base..]);
        // A constructor or mapping takes the arguments as its own.
        match self.store.head(function) {
            Some(head @ ValueHead::Function(_)) => {
                let mut own = self.store.parts(function).to_vec();
                own.extend_from_slice(&parts[1..]);
                self.store.value(head, &own)
            }
            _ => self.store.value(ValueHead::Apply, &parts),
        }
    }

    /// What a function gives for one argument.
    pub(super) fn apply_one(
        &mut self,
        p: &RewriteProgram,
        function: ValueId,
        argument: ValueId,
    ) -> Evaluated {
        let top = self.stack.len();
        self.stack.push(argument);
        self.apply(p, function, top)
    }

    fn step(&mut self, p: &RewriteProgram, function: FunctionId) -> Evaluated<()> {
        self.steps += 1;
        self.last = Some(function);
        if self.steps < self.stop {
            return Ok(());
        }
        let code = p.function(function);
        let (function, span) = (shortened(&code.name, LONGEST_NAME), code.span);
        Err(Box::new(EvaluationError::Endless { function, span, steps: self.max_steps }))
    }
}
