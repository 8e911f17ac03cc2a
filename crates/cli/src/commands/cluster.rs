//! `cluster`: all nodes of a protocol on this machine, with one command, to be looked at and played with.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::cluster::{
    ClusterLayout, ClusterSchedule, Kill, LinkSockets, LiveCluster, LiveDesk, LiveEnd, MOST_RELAYED, Wanted,
    become_node, drawn, hold,
};
use crate::command_line::CommandLine;
use crate::commands::check::named;
use crate::daemon::{NodePlan, assumptions_json};
use crate::node_file;
use crate::outputs::to_stdout;
use crate::page::{LivePage, PageScenario, PageServer, serve_live};
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_core::{MAX_PROCESSES, Pid};
use watchkeeper_logic::ExitCode;
use watchkeeper_runtime::{SHORTEST_TICK, usual_lateness};
use watchkeeper_world::WorldTime;

const CLUSTER: &str = "Cluster";

/// One unit of time where nobody says otherwise.
const TICK: Duration = Duration::from_millis(50);

/// The most nodes that one command starts.
const MOST_NODES: usize = 1000;

/// The parameter that says what processes propose.
const VALUES: &str = "values";

/// How long nodes wait for each other at first, so that all begin together.
const GATHER: Duration = Duration::from_secs(10);

/// The same where nodes may be killed before they have found each other.
const GATHER_SOON: Duration = Duration::from_secs(2);

/// How many files are open beside those for each node; no fewer than a node needs, which has the same limit.
const FILES: usize = 24;

/// All flags of `cluster`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,

    /// How long one unit of time is [default: 50ms]
    #[arg(long, value_name = "TIME", help_heading = CLUSTER)]
    tick: Option<String>,

    /// Where the key, the node files, the logs and the recordings go; empty, or not there yet, and not writable
    /// for other users [default: a new one among the temporary files]
    #[arg(long, value_name = "DIR", help_heading = CLUSTER)]
    dir: Option<PathBuf>,

    /// Record what every node does, for `replay`
    #[arg(long, help_heading = CLUSTER)]
    record: bool,

    /// The port of p0, for datagrams and for questions; the others follow [default: free ports]
    #[arg(long, value_name = "PORT", help_heading = CLUSTER)]
    base_port: Option<String>,

    /// What the nodes propose, from p0 on, where their protocol decides on values [default: as `values` says]
    #[arg(long, value_name = "VALUE,VALUE,...", help_heading = CLUSTER)]
    propose: Option<String>,

    /// Kill so many nodes, drawn at random, at random moments of the first second
    #[arg(long, value_name = "NODES", help_heading = CLUSTER)]
    kill_random: Option<String>,

    /// The seed of who is killed and when [default: another one each time]
    #[arg(long, value_name = "NUMBER", help_heading = CLUSTER, requires = "kill_random")]
    seed: Option<String>,

    /// Go on when all nodes that are alive have decided
    #[arg(long, help_heading = CLUSTER)]
    keep: bool,

    /// Show the nodes as they run on a page in the browser, on this machine only; implies --record and --keep. The cluster
    /// then goes on when its input has ended, until `quit` or Ctrl-C
    #[arg(long, help_heading = CLUSTER)]
    web: bool,

    /// The port of the page [default: a free one]
    #[arg(long, value_name = "PORT", help_heading = CLUSTER, requires = "web")]
    web_port: Option<String>,

    /// Let the page kill, pause, resume and restart nodes and, among up to 16 nodes that are fixed, cut their links
    #[arg(long, help_heading = CLUSTER, requires = "web")]
    control: bool,

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
    let web_port = args.web_port.as_deref().map(|text| port("--web-port", text)).transpose()?;
    let (entry, settings) = named(program, &args.scenario, &SearchArgs::default(), "cluster")?;
    let (settings, members) = opened(program, entry, proposing(args, entry, settings)?)?;
    let settings = supposed(entry, settings)?;
    let node_plan = NodePlan::of(&*entry.protocol, &settings)?;
    let n = members.unwrap_or(node_plan.plan.scenario.n);
    let wanted = match members {
        // To join takes longer than to find each other: the seed looks first for members that it has forgotten.
        Some(_) => Wanted { open: true, gather: GATHER, ..wanted },
        None => wanted,
    };
    // Whatever is open for one node is open for all.
    node_plan.proposal(Pid::new(0), None).map_err(Problem::Usage)?;
    let deciding = node_plan.proposals.map(|proposals| proposals.crashes);
    let (course, seed) = course(args, n, deciding)?;
    let course = ClusterSchedule { restarts: node_plan.restarts, ..course };
    let uncut = uncut(args, n, wanted.open);
    let links = if uncut.is_none() { n * n.saturating_sub(1) } else { 0 };
    // Two sockets are held for each node to find its ports, and later a question to it is open.
    let files = 2 * n + links + FILES;
    crate::files::has_room_for_files(files)
        .map_err(|why| Problem::Usage(format!("a cluster of {n} nodes needs {files} open files: {why}")))?;
    let sockets = match &uncut {
        None => Some(link_sockets(n, wanted.base_port)?),
        Some(_) => None,
    };
    let links = sockets.as_ref().map(LinkSockets::entrances).transpose().map_err(no_relay)?;
    if let (Some(page), Some(base)) = (web_port, wanted.base_port)
        && (usize::from(base)..usize::from(base) + n).contains(&usize::from(page))
    {
        let why = format!("{page} is a port of the nodes, by --base-port; choose another for the page");
        return Err(flag("--web-port", &page.to_string()).refused(why));
    }
    // Where the page has no port, nothing is left behind.
    let server = args.web.then(|| PageServer::bind(web_port, "--web-port")).transpose()?;
    let wanted = Wanted { links, ..wanted };
    let layout = ClusterLayout::write(entry, &settings, n, &wanted)?;
    let dir = layout.dir.display().to_string();
    say(&format!("{n} nodes of {}; their files are in {dir}\n", entry.name()));
    if let Some(seed) = seed {
        say(&format!("Killed by seed {seed}: {}\n", victims(&course)));
    }
    let mut page: Option<LivePage> = None;
    let live = match server {
        None => None,
        Some(server) => {
            let binds = layout.nodes.iter().map(|place| place.bind).collect();
            let relay = sockets.map(|sockets| sockets.relay(binds)).transpose().map_err(no_relay)?;
            let desk = LiveDesk::new(LiveCluster {
                entry: entry.clone(),
                n,
                dir: layout.dir.clone(),
                tick: wanted.tick,
                assumptions: assumptions_json(
                    &node_plan.assumptions,
                    wanted.tick,
                    usual_lateness(wanted.tick),
                ),
                control: args.control,
                uncut,
            });
            let scenario = PageScenario::given(entry, &settings);
            let served = serve_live(program, scenario, desk.clone(), server)?;
            say(&format!("The nodes as they run: {}\n", served.address));
            page = Some(served);
            Some(LiveEnd { desk, relay })
        }
    };
    let outcome = hold(layout, course, live);
    page.iter().for_each(LivePage::end);
    say(&outcome.text());
    say(&format!("All nodes have ended; their files are in {dir}\n"));
    if wanted.record {
        let line = CommandLine::new(&program.name, &["replay", &dir]);
        say(&format!("Whether what they did is a run of the model: {line}\n"));
    }
    Ok(outcome.exit_code())
}

fn say(text: &str) {
    // A reader that has gone away does not keep nodes from being ended.
    let _ = to_stdout(text);
}

fn wanted(args: &ClusterArgs) -> Result<Wanted, Problem> {
    let tick = tick(args.tick.as_deref())?;
    let base_port = args.base_port.as_deref().map(|text| port("--base-port", text)).transpose()?;
    let gather = if args.kill_random.is_some() { GATHER_SOON } else { GATHER };
    // The chart of a page is drawn from what the nodes record.
    let record = args.record || args.web;
    Ok(Wanted { dir: args.dir.clone(), tick, record, base_port, gather, open: false, links: None })
}

/// A port that a flag names.
fn port(name: &str, text: &str) -> Result<u16, Problem> {
    let given = flag(name, text);
    let port = given.value.trim().parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| given.refused(format!("`{text}` is not a port; write 1 to 65535")))
}

/// Why the links of a cluster cannot be cut on its page, if they cannot.
fn uncut(args: &ClusterArgs, n: usize, open: bool) -> Option<String> {
    if !args.control {
        return Some("start the cluster with --control to cut links".to_string());
    }
    if open {
        return Some(
            "the links of an open cluster cannot be cut here: its nodes tell each other where they are; kill or pause \
             nodes instead"
                .to_string(),
        );
    }
    let why = || {
        format!("links can be cut in clusters of up to {MOST_RELAYED} nodes; start one with fewer, by --n")
    };
    (n > MOST_RELAYED).then(why)
}

/// The sockets that stand between the nodes.
fn link_sockets(n: usize, base_port: Option<u16>) -> Result<LinkSockets, Problem> {
    let first = u32::from(base_port.unwrap_or(0));
    let taken = if base_port.is_some() { first..first + n as u32 } else { 0..0 };
    LinkSockets::bind(n, &taken).map_err(no_relay)
}

fn no_relay(why: std::io::Error) -> Problem {
    Problem::Usage(format!("the links between nodes cannot be made: {why}; leave out --control"))
}

/// The length of one unit of time, as a flag says it.
pub(crate) fn tick(text: Option<&str>) -> Result<Duration, Problem> {
    let Some(text) = text else { return Ok(TICK) };
    let given = flag("--tick", text);
    let TimeSpan(tick) = given.parsed()?;
    if tick < SHORTEST_TICK || tick > Duration::from_secs(3600) {
        return Err(given.refused("a tick lasts from 1ms to 1h"));
    }
    Ok(tick)
}

fn flag(name: &str, text: &str) -> RawValue {
    RawValue { value: text.to_string(), origin: SettingOrigin::Argument(name.to_string()) }
}

/// The settings with what the nodes propose, if anyone says: the same that a check of their files supposes.
fn proposing(
    args: &ClusterArgs,
    entry: &ProtocolEntry,
    mut settings: RawSettings,
) -> Result<RawSettings, Problem> {
    let Some(text) = &args.propose else { return Ok(settings) };
    let given = flag("--propose", text);
    if !entry.outline().params.iter().any(|param| param.name == VALUES) {
        return Err(given.refused("the processes of this protocol propose nothing; leave it out"));
    }
    settings.params.insert(VALUES.to_string(), given);
    Ok(settings)
}

/// The settings of a cluster that nodes join while it runs, and how many there are at first, if its protocol can have
/// one. There may be more than a model has processes.
fn opened(
    program: &Program,
    entry: &ProtocolEntry,
    mut settings: RawSettings,
) -> Result<(RawSettings, Option<usize>), Problem> {
    let Some((param, value)) = entry.outline().open else { return Ok((settings, None)) };
    if settings.params.get(param).is_some_and(|given| given.value.trim() != value) {
        return Ok((settings, None));
    }
    node_file::opened(program, entry, &mut settings)?;
    let mut members = entry.protocol.plan(&RawSettings::default().read()?)?.scenario.n;
    if let Some(given) = settings.given("n").cloned() {
        let wrong = || given.refused(format!("write how many nodes there are at first, 2 to {MOST_NODES}"));
        members = given.value.trim().parse().map_err(|_| wrong())?;
        if !(2..=MOST_NODES).contains(&members) {
            return Err(wrong());
        }
    }
    settings.set("n", members.min(MAX_PROCESSES).to_string(), SettingOrigin::Call("cluster"));
    // Whoever joins is not known to all at once, so what is sent to it may be lost; and a machine full of nodes is slow.
    let said = ["time", "delay", "round-trip", "loss"].iter().any(|name| settings.given(name).is_some());
    if !said {
        for (name, text) in node_file::OPEN_NETWORK {
            settings.set(name, text, SettingOrigin::Call("cluster"));
        }
    }
    Ok((settings, Some(members)))
}

/// What becomes of the cluster of its own accord, and the seed if anything is drawn.
fn course(
    args: &ClusterArgs,
    n: usize,
    deciding: Option<usize>,
) -> Result<(ClusterSchedule, Option<u64>), Problem> {
    let Some(text) = &args.kill_random else {
        return Ok((
            ClusterSchedule { deciding, keep: args.keep || args.web, ..ClusterSchedule::default() },
            None,
        ));
    };
    let given = flag("--kill-random", text);
    let wrong = || given.refused(format!("`{text}` is not a number of nodes; write 1 or more"));
    let count: usize = text.trim().parse().map_err(|_| wrong())?;
    if count == 0 {
        return Err(wrong());
    }
    let most = deciding.unwrap_or(n.saturating_sub(1));
    if count > most {
        let why = match deciding {
            Some(most) => format!(
                "killing {count} of {n} nodes is too much: the protocol decides as long as fewer than half of the \
                 processes crash, here at most {most} (Chandra and Toueg 1996, theorem for figure 6); kill fewer, or \
                 start {} nodes with --n",
                2 * count + 1
            ),
            None => format!("killing {count} of {n} nodes leaves nobody to look at; kill at most {most}"),
        };
        return Err(given.refused(why));
    }
    let seed = match &args.seed {
        None => u64::from(fastrand::Rng::new().u32(..)),
        Some(text) => {
            let given = flag("--seed", text);
            let wrong = |_| given.refused(format!("`{text}` is not a seed; write a whole number from 0 on"));
            text.trim().parse().map_err(wrong)?
        }
    };
    let kills = drawn(n, count, seed);
    Ok((
        ClusterSchedule { deciding, keep: args.keep || args.web, kills, ..ClusterSchedule::default() },
        Some(seed),
    ))
}

fn victims(course: &ClusterSchedule) -> String {
    let one = |kill: &Kill| format!("{} after {} ms", kill.process, kill.at.as_millis());
    course.kills.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The settings with what a cluster needs and nobody has said: rounds that a busy machine can keep, and a bound
/// on the delay of messages, without which there is nothing to hold a run against.
pub(crate) fn supposed(entry: &ProtocolEntry, mut settings: RawSettings) -> Result<RawSettings, Problem> {
    let has = |name: &str| entry.outline().params.iter().any(|param| param.name == name);
    let adapts = !has("timeouts") || settings.params.contains_key("timeouts");
    for (name, text, needed) in [("round", "10", true), ("max-delta", "20", adapts)] {
        if has(name) && needed && !settings.params.contains_key(name) {
            let given = RawValue { value: text.to_string(), origin: SettingOrigin::Call("cluster") };
            settings.params.insert(name.to_string(), given);
        }
    }
    let said = ["time", "delay", "round-trip"].iter().any(|name| settings.given(name).is_some());
    let usual = entry.protocol.plan(&settings.read()?)?.usual.scenario;
    // What asks an oracle does not run, and is told so with nothing added.
    if !said && usual.time == WorldTime::Untimed && usual.oracle.is_none() {
        let supposed = [("time", "dense"), ("delay", "0..4"), ("channel", "unbounded:4")];
        for (name, text) in supposed {
            if settings.given(name).is_none() {
                settings.set(name, text, SettingOrigin::Call("cluster"));
            }
        }
    }
    Ok(settings)
}
