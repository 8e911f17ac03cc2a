//! Evaluations that nest deeply: they go on on a thread with a large stack, so that neither the stack of the caller nor the depth
//! of an honest recursion is a limit, and an endless one is noticed.

use super::code::RewriteProgram;
use super::error::EvaluationError;
use super::machine::{Evaluated, RewriteMachine};
use crate::error::{LONGEST_NAME, shortened};
use crate::syntax::Span;

/// How much of the stack of the calling thread is used.
pub(super) const SHALLOW_BYTES: usize = 256 << 10;
/// The stack of the thread on which deep evaluations go on, and what is kept of it for everything else.
const DEEP_BYTES: usize = 256 << 20;
const RESERVED_BYTES: usize = 256 << 10;

impl RewriteMachine {
    /// Goes on on a thread with a large stack.
    #[cold]
    #[inline(never)]
    pub(super) fn elsewhere<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Evaluated<T> + Send,
    ) -> Evaluated<T> {
        if self.deep {
            return Err(self.too_deep());
        }
        let floor = self.floor;
        self.deep = true;
        let result = std::thread::scope(|scope| {
            let machine = &mut *self;
            let deep = std::thread::Builder::new().stack_size(DEEP_BYTES).spawn_scoped(scope, move || {
                machine.floor = address().saturating_sub(DEEP_BYTES - RESERVED_BYTES).max(1);
                work(machine)
            });
            deep.ok().map(|deep| deep.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        self.deep = false;
        self.floor = floor;
        result.unwrap_or_else(|| Err(self.too_deep()))
    }

    fn too_deep(&self) -> Box<EvaluationError> {
        // The names are filled in where the program is known.
        let number = self.last.map_or(u32::MAX, |function| function.0);
        Box::new(EvaluationError::TooDeep { function: number.to_string(), span: Span::default() })
    }

    /// The error with the name and the place of the function in it.
    pub(super) fn explained(&self, p: &RewriteProgram, error: EvaluationError) -> EvaluationError {
        match (error, self.last) {
            (EvaluationError::TooDeep { .. }, Some(function)) => {
                let code = p.function(function);
                EvaluationError::TooDeep { function: shortened(&code.name, LONGEST_NAME), span: code.span }
            }
            (error, _) => error,
        }
    }
}

/// Roughly where the stack of this thread ends.
#[inline(always)]
pub(super) fn address() -> usize {
    let marker = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&marker)).addr()
}
