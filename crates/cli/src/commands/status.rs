//! `status`: asks a node that runs what it is doing, and shows the answer to a person.

use crate::daemon::{ask, overview};
use crate::node_file;
use crate::outputs::print;
use crate::program::Program;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;

/// All flags of `status`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct StatusArgs {
    /// Where the node can be asked: the address of `http` in its file
    #[arg(value_name = "URL", conflicts_with = "config")]
    url: Option<String>,

    /// The file of the node, which says where it can be asked
    #[arg(long, short, value_name = "NODE.toml")]
    config: Option<PathBuf>,

    /// Print the answer as it is, as JSON
    #[arg(long)]
    json: bool,
}

/// Asks a node.
pub(crate) fn run(program: &Program, args: &StatusArgs) -> Result<ExitCode, Problem> {
    let address = match (&args.url, &args.config) {
        (Some(url), _) => of_url(url)?,
        (None, Some(config)) => of_file(program, config)?,
        (None, None) => {
            let name = &program.name;
            return Err(Problem::Usage(format!(
                "which node? Name its address or its file\n  Try: {name} status 127.0.0.1:7200\n  Or:  {name} status \
                 --config node.toml"
            )));
        }
    };
    let body = ask(&address).map_err(|why| {
        Problem::Usage(format!(
            "no node answers at http://{address}/status: {why}\n  Is it running, and is this the address of `http` in \
             its file?"
        ))
    })?;
    let stranger = || {
        Problem::Usage(format!(
            "what answers at http://{address}/status is no node of this program; compare the ports"
        ))
    };
    let status: Value = serde_json::from_str(&body).map_err(|_| stranger())?;
    let text = overview(&status).ok_or_else(stranger)?;
    print(if args.json { &body } else { &text })?;
    Ok(ExitCode::HOLDS)
}

/// The host and the port of an address as people write it.
pub(super) fn of_url(url: &str) -> Result<String, Problem> {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let host = rest.strip_suffix("/status").unwrap_or(rest).trim_end_matches('/');
    let port = host.rsplit_once(':').and_then(|(name, port)| {
        (!name.is_empty()).then_some(())?;
        port.parse::<u16>().ok()
    });
    match port {
        Some(_) if !host.contains('/') => Ok(host.to_string()),
        _ => Err(Problem::Usage(format!(
            "`{url}` is not where a node can be asked; write an address and a port, such as http://127.0.0.1:7200"
        ))),
    }
}

pub(super) fn of_file(program: &Program, config: &std::path::Path) -> Result<String, Problem> {
    let loaded = node_file::read(config, program).map_err(|mut problems| problems.swap_remove(0))?;
    match loaded.file.node.http {
        Some((address, _)) if address.port() != 0 => Ok(address.to_string()),
        Some(_) => Err(Problem::Usage(format!(
            "{} has port 0 in `http`, so its log says which one it got; name that one",
            config.display()
        ))),
        None => Err(Problem::Usage(format!(
            "{} has no key `http`, so its node cannot be asked; add http = \"127.0.0.1:7200\" to [node] and restart it",
            config.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (url, host) in [
            ("http://127.0.0.1:7200", "127.0.0.1:7200"),
            ("http://127.0.0.1:7200/status", "127.0.0.1:7200"),
            ("localhost:7200/", "localhost:7200"),
            ("[::1]:7200", "[::1]:7200"),
        ] {
            assert_eq!(of_url(url).as_deref(), Ok(host));
        }
        for wrong in
            ["", "127.0.0.1", ":7200", "https://127.0.0.1", "http://127.0.0.1:7200/metrics", "a:99999"]
        {
            assert!(of_url(wrong).is_err(), "{wrong}");
        }
    }
}
