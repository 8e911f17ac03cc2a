//! Where a command leaves what it has found: a report on the terminal, and files. The files are tried before anything is
//! searched; what fails to be written is told at the end, when the rest is safe.

use crate::outputs::{OutputTarget, to_stderr, to_stdout, unwritten};
use std::path::PathBuf;
use watchkeeper::Problem;

/// The report and the files of a command, each of a form `F`.
pub(crate) struct Outlet<F> {
    quiet: bool,
    files: Vec<(F, OutputTarget)>,
}

impl<F: Copy> Outlet<F> {
    /// A report unless it shall be quiet, and those of these files that were asked for; says now if one cannot be had.
    pub(crate) fn new<'a>(
        quiet: bool,
        files: impl IntoIterator<Item = (F, &'a Option<PathBuf>)>,
    ) -> Result<Outlet<F>, Problem> {
        let mut outlet = Outlet { quiet, files: Vec::new() };
        for (form, path) in files {
            if let Some(path) = path {
                outlet.add(form, OutputTarget::new(path))?;
            }
        }
        Ok(outlet)
    }

    /// One more file; says now if it cannot be had.
    pub(crate) fn add(&mut self, form: F, target: OutputTarget) -> Result<(), Problem> {
        if self.files.iter().any(|(_, other)| *other == target) {
            let why = format!("two outputs go to {target}; give each a place of its own");
            return Err(Problem::Usage(why));
        }
        target.probe()?;
        self.files.push((form, target));
        Ok(())
    }

    /// The forms that are asked for.
    pub(crate) fn forms(&self) -> impl Iterator<Item = F> {
        self.files.iter().map(|(form, _)| *form)
    }

    /// Prints the report and writes the files. Where there is no content, it is what there is not.
    pub(crate) fn leave(
        &self,
        report: impl FnOnce() -> String,
        content: impl Fn(F) -> Result<String, &'static str>,
    ) -> Result<(), Problem> {
        let mut failures = Vec::new();
        if self.quiet {
            // The files tell everything.
        } else if self.files.iter().any(|(_, target)| *target == OutputTarget::Stdout) {
            to_stderr(&report());
        } else if let Err(why) = to_stdout(&report()) {
            failures.push(format!("standard output: {why}"));
        }
        for (form, target) in &self.files {
            match content(*form) {
                Ok(content) => {
                    failures.extend(target.write(&content).err().map(|why| format!("{target}: {why}")));
                }
                Err(what) if !self.quiet => {
                    to_stderr(&format!("note: {target} is not written: there is no {what} to show\n"));
                }
                Err(_) => {}
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(unwritten(&failures)) }
    }
}
