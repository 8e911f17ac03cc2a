//! `man`: the help of this program and of its commands as manual pages.

use crate::outputs::{OutputTarget, print, unwritten};
use clap::{Args, Command};
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::PathBuf;
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;

/// All arguments of `man`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ManArgs {
    /// Write the page of each command to this directory, which is made if it is missing; without it, the page of the
    /// program goes to standard output
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Writes the pages of a command line.
pub(crate) fn run(command: Command, args: &ManArgs) -> Result<ExitCode, Problem> {
    let pages =
        pages(command).map_err(|why| Problem::Usage(format!("cannot make the manual pages: {why}")))?;
    let Some(dir) = &args.dir else {
        print(&pages[0].1)?;
        return Ok(ExitCode::HOLDS);
    };
    fs::create_dir_all(dir)
        .map_err(|why| Problem::Usage(format!("cannot make the directory {}: {why}", dir.display())))?;
    let mut failures = Vec::new();
    for (name, page) in &pages {
        let target = OutputTarget::File(dir.join(name));
        if let Err(why) = target.write(page) {
            failures.push(format!("{target}: {why}"));
        }
    }
    match failures.is_empty() {
        true => Ok(ExitCode::HOLDS),
        false => Err(unwritten(&failures)),
    }
}

/// The file name and the text of each page, that of the program first.
fn pages(mut command: Command) -> io::Result<Vec<(String, String)>> {
    command.build();
    let commands = std::iter::once(&command).chain(command.get_subcommands());
    let page = |command: &Command| {
        let man = Man::new(command.clone());
        let mut page = Vec::new();
        man.render(&mut page)?;
        Ok((man.get_filename(), String::from_utf8_lossy(&page).into_owned()))
    };
    commands.filter(|command| !command.is_hide_set()).map(page).collect()
}
