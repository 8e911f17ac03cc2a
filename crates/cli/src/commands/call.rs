//! `call`: asks something of the protocol of a node that runs. What comes of it is an event of that node, and stands in
//! its log.

use crate::commands::status::{of_file, of_url};
use crate::daemon::call;
use crate::outputs::to_stdout;
use crate::program::Program;
use clap::Args;
use std::path::PathBuf;
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;

/// All flags of `call`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CallArgs {
    /// What to ask: say 7, leave or return
    #[arg(value_name = "WHAT", required = true, num_args = 1..)]
    what: Vec<String>,

    /// Where the node can be asked: the address of `http` in its file
    #[arg(long, value_name = "URL", conflicts_with = "config")]
    at: Option<String>,

    /// The file of the node, which says where it can be asked
    #[arg(long, short, value_name = "NODE.toml")]
    config: Option<PathBuf>,
}

/// Asks a node.
pub(crate) fn run(program: &Program, args: &CallArgs) -> Result<ExitCode, Problem> {
    let what = args.what.join(" ").parse().map_err(Problem::Usage)?;
    let address = match (&args.at, &args.config) {
        (Some(url), _) => of_url(url)?,
        (None, Some(config)) => of_file(program, config)?,
        (None, None) => {
            let name = &program.name;
            return Err(Problem::Usage(format!(
                "which node? Name its address or its file\n  Try: {name} call --at 127.0.0.1:7200 say 7\n  Or:  {name} \
                 call --config node.toml say 7"
            )));
        }
    };
    call(&address, what).map_err(|why| {
        Problem::Usage(format!(
            "the node at http://{address} was not asked: {why}\n  Is it running, and is this the address of `http` in \
             its file?"
        ))
    })?;
    // Whoever does not listen knows by the exit code.
    let _ = to_stdout(&format!("asked: {what}\n"));
    Ok(ExitCode::HOLDS)
}
