//! The daemon: a node on a thread of its own, and beside it, on another, what a person or a machine sees of it: the
//! log, the endpoint, the signals. Nothing that happens here can hold the node up.

mod announcements;
mod configuration;
pub(crate) mod console;
mod decisions;
mod endpoint;
mod events;
mod grouped;
mod hostile;
mod log;
mod lookup;
mod metrics;
mod node_plan;
mod refusals;
mod rotation;
mod signals;
mod status;
mod view;
mod visitors;

pub(crate) use configuration::configuration;
pub(crate) use console::{ask, call, overview};
pub(crate) use hostile::Endpoint;
pub(crate) use node_plan::NodePlan;
pub(crate) use status::assumptions_json;

use crate::files;
use crate::node_file::{NodeFile, NodeIdentity, PeerPlace};
use announcements::Announcements;
use events::Readers;
use grouped::Grouped;
use log::LogWriter;
use lookup::PeerNames;
use refusals::Refusals;
use signals::{Signal, Signals};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime;
use tokio::sync::oneshot;
use tracing::{error, info, warn};
use view::EndpointView;
use watchkeeper::{Described, Live, Problem, SettingOrigin};
use watchkeeper_core::{Pid, Protocol};
use watchkeeper_logic::ExitCode;
use watchkeeper_runtime::{
    Assumptions, Handle, JoinFailure, NodeBuilder, NodeEvent, NodeEventKind, NodeEvents, NodePhase,
    RunRecorder, StartError,
};

/// How long a node that was told twice to end may take to do it.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many files a node has open beside standard input and output: its endpoint with all visitors and one who waits; two
/// event loops with three each, a pipe for signals, its socket, its recording, and a few while names are looked up.
const FILES: usize = 2 + visitors::PLACES + 14;

/// How often the daemon looks whether datagrams were refused.
const LOOK: Duration = Duration::from_secs(1);

/// Reads the node file again.
pub(crate) type Again<'a> = dyn Fn() -> Result<NodeFile, Vec<Problem>> + 'a;

/// A node that is about to run.
pub(crate) struct Setup<'a> {
    pub(crate) file: NodeFile,
    pub(crate) node_plan: NodePlan,
    /// A file whose name ends in `.ndjson`, or a directory.
    pub(crate) record: Option<PathBuf>,
    /// How to read the file again, for new keys.
    pub(crate) again: &'a Again<'a>,
}

/// Runs a node until it is told to end.
pub(crate) fn serve<P: Described>(
    live: &Live<P>,
    protocol: P,
    setup: Setup<'_>,
) -> Result<ExitCode, Problem> {
    let me = setup.file.node.identity.process();
    let grouped = live.grouping.zip(me).map(|(grouping, me)| (grouping.clique)(&protocol, me));
    let announcements = Announcements::new(proposal(&setup)?, grouped.map(Grouped::new));
    files::has_room_for_files(FILES).map_err(|why| {
        Problem::Usage(format!("a node needs {FILES} open files, for sockets, signals and requests: {why}"))
    })?;
    let names = PeerNames::look_up(&setup.file.peers, setup.file.node.bind);
    let node = described(live, protocol, &setup, &names)?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Problem::Usage(format!("the system gives no event loop: {why}")))?;
    runtime.block_on(run(live, node, names, setup, announcements))
}

/// The node of a file.
fn described<P: Described>(
    live: &Live<P>,
    protocol: P,
    setup: &Setup<'_>,
    names: &PeerNames,
) -> Result<NodeBuilder<P>, Problem> {
    let NodeFile { node: table, peers, keys, .. } = &setup.file;
    // What a member of an open cluster says when it leaves does not depend on its number.
    let leaving = (live.leaving)(&protocol, table.identity.process().unwrap_or(Pid::at(0)));
    let node = match &table.identity {
        NodeIdentity::Process(process) => NodeBuilder::new(protocol, *process, table.bind),
        NodeIdentity::Member(member) => NodeBuilder::open_member(protocol, member.clone(), table.bind),
    };
    let mut node = node
        .peers(addresses(peers, table.bind, names)?)
        .cluster(table.cluster.clone())
        .keys(keys.ring.clone())
        .tick(table.tick)
        .assume(Assumptions { lateness: table.lateness, ..setup.node_plan.assumptions.clone() })
        .gather(table.gather);
    for (peer, _) in names.missing() {
        node = node.peer_unresolved(peer);
    }
    if let (Some(deciding), Some(value)) = (live.deciding, proposal(setup)?) {
        node = node.begin_with((deciding.propose)(value));
    }
    if let Some((call, linger)) = leaving {
        node = node.leave_with(call, linger);
    }
    if let Some(meeting) = live.meeting {
        node = node.meet_with(meeting);
    }
    if let Some(path) = &setup.record {
        node = node.record(recorder(path, &table.identity, &setup.node_plan)?);
    }
    Ok(node)
}

/// Where the peers are, as far as it is known. Two at one address cannot be told apart on the way, which a name shows only now.
fn addresses(
    peers: &[(Pid, PeerPlace)],
    bind: SocketAddr,
    names: &PeerNames,
) -> Result<Vec<(Pid, SocketAddr)>, Problem> {
    let mut known: Vec<(Pid, SocketAddr)> = Vec::new();
    for (peer, place) in peers {
        let Some(address) = names.address(*peer, place) else { continue };
        let other = known.iter().find(|(_, there)| *there == address).map(|(other, _)| other.to_string());
        let other = other.or_else(|| (address == bind).then(|| "this node itself".to_string()));
        if let Some(other) = other {
            return Err(Problem::Usage(format!(
                "{peer} at {place} is {address}, and so is {other}; give each process its own address"
            )));
        }
        known.push((*peer, address));
    }
    Ok(known)
}

/// What the node proposes when it begins.
fn proposal(setup: &Setup<'_>) -> Result<Option<u64>, Problem> {
    let table = &setup.file.node;
    setup.node_plan.proposal(table.identity.process(), table.propose).map_err(Problem::Usage)
}

fn recorder(path: &Path, identity: &NodeIdentity, node_plan: &NodePlan) -> Result<RunRecorder, Problem> {
    let refused = |path: &Path, why: std::io::Error| {
        let why = match why.kind() {
            std::io::ErrorKind::AlreadyExists => {
                "it is there already, and a recording is never overwritten; name another file, or a directory"
                    .to_string()
            }
            _ => format!("{why}; name a file that ends in .ndjson, or a directory"),
        };
        Problem::Usage(format!("cannot record to {}: {why}", path.display()))
    };
    let file = if path.extension().is_some_and(|ending| ending == "ndjson") {
        path.to_path_buf()
    } else {
        std::fs::create_dir_all(path).map_err(|why| refused(path, why))?;
        let there = std::fs::read_dir(path).map_err(|why| refused(path, why))?;
        let there = there.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        path.join(recording_name(&identity.to_string(), SystemTime::now(), there))
    };
    RunRecorder::create(&file, node_plan.model.clone()).map_err(|why| refused(&file, why))
}

/// The name of a new recording among those that are there. Later incarnations sort after earlier ones, also where the
/// clock was set back, or says that it is before 1970.
fn recording_name(who: &str, now: SystemTime, there: impl Iterator<Item = String>) -> String {
    let micros = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    // The name of a member may have letters that mean something in paths.
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    let of_process = format!("{}-", who.chars().map(plain).collect::<String>());
    let numbers = there.filter_map(|name| {
        name.strip_prefix(&of_process)?.strip_suffix(".ndjson")?.parse::<u128>().ok()?.checked_add(1)
    });
    let number = numbers.max().unwrap_or(0).max(micros);
    format!("{of_process}{number:016}.ndjson")
}

async fn run<P: Described>(
    live: &Live<P>,
    node: NodeBuilder<P>,
    names: PeerNames,
    setup: Setup<'_>,
    announcements: Announcements,
) -> Result<ExitCode, Problem> {
    let table = &setup.file.node;
    let signals = Signals::listen()
        .map_err(|why| Problem::Usage(format!("the system lets nobody listen to signals: {why}")))?;
    let door = match &table.http {
        Some((address, origin)) => Some(endpoint::bind(*address, origin)?),
        None => None,
    };
    let log = LogWriter::start(table.log, table.level, &table.identity.to_string(), &table.cluster);
    let (handle, events, thread) = start(node, &table.bind_by).await?;
    for warning in &setup.file.warnings {
        warn!(event = "warning", "{warning}");
    }
    names.tell_missing();
    let http = door.as_ref().and_then(|door| door.local_addr().ok());
    tell_listening(&setup, &handle, http.map(|http| http.to_string()));
    let view = Arc::new(EndpointView::new(live, handle.clone(), &setup, announcements));
    if let Some(door) = door {
        tokio::spawn(endpoint::serve(door, Arc::clone(&view)));
    }
    let looking = Arc::clone(&view);
    tokio::spawn(async move { names.keep_looking(&looking).await });
    let readers = Readers {
        decides: live.deciding.map(|deciding| deciding.decides),
        tells: live.grouping.map(|grouping| grouping.tells),
    };
    let code = watch(&readers, &handle, events, signals, &setup, &view).await;
    let broke = thread.is_finished() && thread.join().is_err();
    if broke || (code == ExitCode::HOLDS && handle.phase() != NodePhase::Ended) {
        error!(event = "broken", "the node broke down; the reason is above");
        log.finish();
        return Ok(ExitCode::INTERNAL);
    }
    log.finish();
    Ok(code)
}

/// Starts the node on a thread of its own. Its events are complete from the first on.
async fn start<P: Described>(
    node: NodeBuilder<P>,
    bind_by: &SettingOrigin,
) -> Result<(Handle<P>, NodeEvents<P::Output>, JoinHandle<()>), Problem> {
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().name("node".to_string()).spawn(move || {
        // If there is no event loop, nobody is told, and that tells it.
        let Ok(runtime) = runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async move {
            let handle = match node.spawn().await {
                Ok(handle) => handle,
                Err(why) => return drop(tell.send(Err(why))),
            };
            let events = handle.events();
            if tell.send(Ok((handle.clone(), events))).is_ok() {
                handle.ended().await;
            }
        });
    });
    let thread = thread.map_err(|why| Problem::Usage(format!("the system gives no thread: {why}")))?;
    let none = |_| Problem::Usage("the system gives the node no event loop".to_string());
    let (handle, events) = told.await.map_err(none)?.map_err(|why| not_started(why, bind_by))?;
    Ok((handle, events, thread))
}

/// Logs what happens and does what the signals say, until the node has ended.
async fn watch<P: Described>(
    readers: &Readers<P::Output>,
    handle: &Handle<P>,
    mut events: NodeEvents<P::Output>,
    mut signals: Signals,
    setup: &Setup<'_>,
    view: &EndpointView,
) -> ExitCode {
    let failed = std::cell::Cell::new(None);
    let note = |event: &NodeEvent<P::Output>| {
        if let NodeEventKind::NotJoined(failure) = &event.kind {
            failed.set(Some(not_joined(failure)));
        }
        view.announcements.note(event, readers);
        events::tell(event, readers);
    };
    let mut refusals = Refusals::default();
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut keys = setup.file.keys.list.clone();
    let mut leaving = false;
    let mut forced = None;
    let mut ended = pin!(handle.ended());
    loop {
        tokio::select! {
            biased;
            Some(event) = events.next() => note(&event),
            () = &mut ended => break,
            signal = signals.next() => match signal {
                Signal::Hangup => rotation::rotate(handle, setup, &mut keys).await,
                signal if leaving => {
                    warn!(event = "cut-short", "{signal} again: the node ends at once");
                    let _ = tokio::time::timeout(PATIENCE, handle.shutdown()).await;
                    forced = Some(signal);
                    break;
                }
                signal => {
                    leaving = true;
                    info!(event = "leaving", "{signal}: the node leaves");
                    let handle = handle.clone();
                    tokio::spawn(async move { handle.leave().await });
                }
            },
            _ = look.tick() => refusals.look(handle.counters()),
        }
    }
    refusals.look_again(handle.counters());
    while let Some(event) = events.try_next() {
        note(&event);
    }
    forced.map(Signal::exit_code).or(failed.get()).unwrap_or(ExitCode::HOLDS)
}

/// The exit code of a node that is no member: whether it helps to start it again as it is.
fn not_joined(failure: &JoinFailure) -> ExitCode {
    match failure {
        JoinFailure::NameInUse(_) => ExitCode::BAD_INPUT,
        _ => ExitCode::UNKNOWN,
    }
}

fn tell_listening<P: Protocol>(setup: &Setup<'_>, handle: &Handle<P>, http: Option<String>) {
    let NodeFile { path, node, peers, keys, .. } = &setup.file;
    let (protocol, process, address) = (setup.node_plan.protocol, &node.identity, handle.address());
    info!(
        event = "listening",
        protocol,
        address = %address,
        peers = peers.len(),
        tick_ms = node.tick.as_secs_f64() * 1e3,
        key = keys.ring.current().0,
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        config = %path.display(),
        http,
        "{process} of {protocol} listens at {address}"
    );
}

/// Why a node did not start, with the line of the file that could not be followed.
fn not_started(why: StartError, bind_by: &SettingOrigin) -> Problem {
    match why {
        StartError::Bind { .. } | StartError::InUse { .. } => {
            Problem::Value { origin: bind_by.clone(), why: why.to_string() }
        }
        other => Problem::Usage(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_have_names_of_their_own_that_sort_by_their_starts() {
        let at = |micros: i64| match u64::try_from(micros) {
            Ok(micros) => UNIX_EPOCH + Duration::from_micros(micros),
            Err(_) => UNIX_EPOCH - Duration::from_micros(micros.unsigned_abs()),
        };
        let mut names: Vec<String> =
            vec!["p10-9999999999999999.ndjson".to_string(), "p1-x.ndjson".to_string()];
        // Before 1970, at its beginning, today, set back a little, set back behind 1970.
        for micros in [-5_000_000, -5_000_000, 0, 1_790_000_000_000_000, 1_780_000_000_000_000, -1, i64::MIN]
        {
            names.push(recording_name("p1", at(micros), names.clone().into_iter()));
        }
        let made = names.split_off(2);
        assert_eq!(made[0], "p1-0000000000000000.ndjson");
        assert_eq!(made[3], "p1-1790000000000000.ndjson");
        assert_eq!(made[6], "p1-1790000000000003.ndjson");
        assert!(made.is_sorted_by(|one, next| one < next), "{made:?}");
    }
}
