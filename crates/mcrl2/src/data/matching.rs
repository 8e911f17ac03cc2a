//! Which equation fits the arguments of a call.

use super::code::{Pattern, RewriteProgram, Rule, RuleSet};
use super::machine::{Evaluated, RewriteMachine};
use super::store::ValueId;

impl RewriteMachine {
    /// The first equation that matches the arguments on top of the stack and whose condition holds. Its frame is there then.
    #[inline(never)]
    pub(super) fn matching<'p>(
        &mut self,
        p: &RewriteProgram,
        rules: &'p RuleSet,
        base: usize,
    ) -> Evaluated<Option<&'p Rule>> {
        self.stack.resize(base + rules.frame.max(rules.arguments), ValueId::FALSE);
        match rules.candidates(|place| self.store.key(self.stack[base + place])) {
            Some(candidates) => {
                for number in candidates {
                    let rule = &rules.rules[*number as usize];
                    if self.fits(p, rule, base)? {
                        return Ok(Some(rule));
                    }
                }
            }
            None => {
                for rule in &rules.rules {
                    if self.fits(p, rule, base)? {
                        return Ok(Some(rule));
                    }
                }
            }
        }
        Ok(None)
    }

    #[inline(never)]
    fn fits(&mut self, p: &RewriteProgram, rule: &Rule, base: usize) -> Evaluated<bool> {
        for (place, pattern) in rule.patterns.iter().enumerate() {
            if !self.matches(p, pattern, self.stack[base + place], base) {
                return Ok(false);
            }
        }
        match &rule.condition {
            Some(condition) => Ok(self.eval(p, condition, base)? == ValueId::TRUE),
            None => Ok(true),
        }
    }

    fn matches(&mut self, p: &RewriteProgram, pattern: &Pattern, value: ValueId, base: usize) -> bool {
        match pattern {
            Pattern::Any => true,
            Pattern::Bind(slot) => {
                self.stack[base + *slot as usize] = value;
                true
            }
            Pattern::Narrow(slot, sort) => {
                self.stack[base + *slot as usize] = value;
                self.contains(p, *sort, value)
            }
            Pattern::Same(slot) => self.stack[base + *slot as usize] == value,
            Pattern::Constant(constant) => *constant == value,
            Pattern::Build(head, parts) => {
                self.store.head(value) == Some(*head)
                    && self.store.parts(value).len() == parts.len()
                    && parts.iter().enumerate().all(|(place, part)| {
                        let value = self.store.part(value, place);
                        self.matches(p, part, value, base)
                    })
            }
        }
    }
}
