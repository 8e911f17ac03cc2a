//! `cluster`: all nodes of a protocol on this machine, with one command, to be looked at and played with.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::cluster::{Layout, Wanted, become_node, hold};
use crate::command_line::CommandLine;
use crate::commands::check::named;
use crate::outputs::to_stdout;
use crate::problem::{Origin, Problem};
use crate::program::Program;
use crate::quantities::Span;
use crate::registry::Entry;
use crate::settings::{Given, Settings};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use watchkeeper_logic::ExitCode;
use watchkeeper_runtime::SHORTEST_TICK;
use watchkeeper_world::Time;

const CLUSTER: &str = "Cluster";

/// One unit of time where nobody says otherwise.
const TICK: Duration = Duration::from_millis(50);

/// All flags of `cluster`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,

    /// How long one unit of time is [default: 50ms]
    #[arg(long, value_name = "TIME", help_heading = CLUSTER)]
    tick: Option<String>,

    /// Where the key, the node files, the logs and the recordings go; empty, or not there yet
    /// [default: a new one among the temporary files]
    #[arg(long, value_name = "DIR", help_heading = CLUSTER)]
    dir: Option<PathBuf>,

    /// Record what every node does, for `replay`
    #[arg(long, help_heading = CLUSTER)]
    record: bool,

    /// The port of p0, for datagrams and for questions; the others follow [default: free ports]
    #[arg(long, value_name = "PORT", help_heading = CLUSTER)]
    base_port: Option<String>,

    /// Become the node of this file
    #[arg(long, value_name = "FILE", hide = true, requires = "parent")]
    node: Option<PathBuf>,

    /// The process without which the node shall not be
    #[arg(long, value_name = "PID", hide = true)]
    parent: Option<u32>,
}

/// Runs a cluster until its user has had enough.
pub(crate) fn run(program: &Program, args: &ClusterArgs) -> Result<ExitCode, Problem> {
    if let (Some(config), Some(parent)) = (&args.node, args.parent) {
        let why = become_node(config, parent);
        return Err(Problem::Usage(format!("the node cannot be started: {why}")));
    }
    let wanted = wanted(args)?;
    let (entry, settings) = named(program, &args.scenario, &SearchArgs::default(), "cluster")?;
    let settings = supposed(entry, settings)?;
    let n = entry.outline(&settings)?.scenario.n;
    let layout = Layout::write(entry, &settings, n, &wanted)?;
    let dir = layout.dir.display();
    say(&format!("{n} nodes of {}; their files are in {dir}\n", entry.name()));
    hold(&layout);
    say(&format!("All nodes have ended; their files are in {dir}\n"));
    if wanted.record {
        let line = CommandLine::new(&program.name, &["replay", &dir.to_string()]);
        say(&format!("Whether what they did is a run of the model: {line}\n"));
    }
    Ok(ExitCode::HOLDS)
}

fn say(text: &str) {
    // A reader that has gone away does not keep nodes from being ended.
    let _ = to_stdout(text);
}

fn wanted(args: &ClusterArgs) -> Result<Wanted, Problem> {
    let flag =
        |name: &str, text: &str| Given { text: text.to_string(), origin: Origin::Argument(name.to_string()) };
    let tick = match &args.tick {
        None => TICK,
        Some(text) => {
            let given = flag("--tick", text);
            let Span(tick) = given.parsed()?;
            if tick < SHORTEST_TICK || tick > Duration::from_secs(3600) {
                return Err(given.refused("a tick lasts from 1ms to 1h"));
            }
            tick
        }
    };
    let base_port = match &args.base_port {
        None => None,
        Some(text) => {
            let given = flag("--base-port", text);
            let port = given.text.trim().parse().ok().filter(|port| *port > 0);
            Some(port.ok_or_else(|| given.refused(format!("`{text}` is not a port; write 1 to 65535")))?)
        }
    };
    Ok(Wanted { dir: args.dir.clone(), tick, record: args.record, base_port })
}

/// The settings with what a cluster needs and nobody has said: rounds that a busy machine can keep, and a bound
/// on the delay of messages, without which there is nothing to hold a run against.
fn supposed(entry: &Entry, mut settings: Settings) -> Result<Settings, Problem> {
    let has = |name: &str| entry.params.iter().any(|param| param.name == name);
    let adapts = !has("timeouts") || settings.params.contains_key("timeouts");
    for (name, text, needed) in [("round", "10", true), ("max-delta", "20", adapts)] {
        if has(name) && needed && !settings.params.contains_key(name) {
            let given = Given { text: text.to_string(), origin: Origin::Call("cluster") };
            settings.params.insert(name.to_string(), given);
        }
    }
    let said = ["time", "delay", "round-trip"].iter().any(|name| settings.given(name).is_some());
    if !said && entry.outline(&settings)?.usual.scenario.time == Time::Untimed {
        let supposed = [("time", "dense"), ("delay", "0..4"), ("channel", "unbounded:4")];
        for (name, text) in supposed {
            if settings.given(name).is_none() {
                settings.set(name, text, Origin::Call("cluster"));
            }
        }
    }
    Ok(settings)
}
