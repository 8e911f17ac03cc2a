//! The line as a search takes it: made on the thread of the first search, and kept for those after it.

use crate::line::DataflowLine;
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};
use timely::communication::Allocator;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use watchkeeper_explore::{Connect, Exchange};

/// One worker's way to the others.
pub struct Team {
    builder: Mutex<Option<Builder>>,
}

/// What a line is made of, while it may still go to another thread.
pub(crate) enum Builder {
    Thread(ProcessBuilder),
    Process(TcpBuilder),
}

thread_local! {
    /// A dataflow stays on its thread.
    static LINE: RefCell<Option<DataflowLine>> = const { RefCell::new(None) };
}

impl Team {
    pub(crate) fn new(builder: Builder) -> Team {
        Team { builder: Mutex::new(Some(builder)) }
    }
}

/// Ends the line of this thread, if it has one; all workers do so after their last search.
pub fn hang_up() {
    if let Some(line) = LINE.with(|line| line.try_borrow_mut().ok().and_then(|mut line| line.take())) {
        line.close();
    }
}

impl Connect for Team {
    fn with(&self, job: &mut dyn FnMut(&mut dyn Exchange)) -> Result<(), String> {
        let builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner).take();
        LINE.with(|line| {
            let mut line = line.try_borrow_mut().map_err(|_| "one search at a time".to_string())?;
            if let Some(builder) = builder {
                *line = Some(DataflowLine::new(match builder {
                    Builder::Thread(builder) => Allocator::Process(builder.build()),
                    Builder::Process(builder) => Allocator::Tcp(builder.build()),
                }));
            }
            let line = line.as_mut().ok_or("the line to the other workers belongs to another thread")?;
            job(line);
            Ok(())
        })
    }
}

/// So many workers that are threads of this process, each with its line. For tests: threads of one process search better
/// with one table.
pub fn threads(workers: usize) -> Vec<Team> {
    let hooks = timely::communication::Hooks::default();
    let builders = ProcessBuilder::new_bytes_vector(workers, hooks.refill, hooks.spill);
    builders.into_iter().map(|builder| Team::new(Builder::Thread(builder))).collect()
}
