//! How workers come together: each calls those before it in the list, and is called by those after it. Nobody listens but at
//! the address in the list. Who does not know the key is hung up on, and the wait for the others goes on.

use crate::error::FleetError;
use crate::handshake::{End, Failed, shake};
use crate::roster::Roster;
use crate::team::{Builder, Team};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};

/// Between two tries to call a worker that is not there yet, and between two looks for callers.
const PAUSE: Duration = Duration::from_millis(25);
/// The longest that a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Callers that may shake hands at the same time; more wait.
const AT_ONCE: usize = 64;

/// The threads that read and write the connections; they end when the lines of all workers have.
pub struct Connections(Option<CommsGuard>);

impl Connections {
    /// Waits until the threads have ended, after the line of this worker has ([`hang_up`](crate::hang_up)).
    pub fn finish(mut self) {
        self.0.take();
    }
}

impl Drop for Connections {
    /// A worker that fails alone waits for nobody: the others notice when its process ends.
    fn drop(&mut self) {
        std::mem::forget(self.0.take());
    }
}

/// Brings a worker together with all others. The listener is at its address in the list.
pub fn join(roster: &Roster, listener: TcpListener) -> Result<(Team, Connections), FleetError> {
    let system = |why: io::Error| FleetError::System(why.to_string());
    let deadline = Instant::now() + roster.patience;
    let mut streams: Vec<Option<TcpStream>> = (0..roster.workers.len()).map(|_| None).collect();
    listener.set_nonblocking(true).map_err(system)?;
    // Both at once: who waits for a worker that is not there hears of another one meanwhile.
    let (calls, called) = thread::scope(|scope| {
        let calls = scope.spawn(|| call_all(roster, deadline));
        let called = await_all(roster, &listener, deadline);
        (calls.join().unwrap_or_else(|_| Err(FleetError::System("a thread broke".into()))), called)
    });
    for (worker, stream) in calls?.into_iter().chain(called?) {
        stream.set_nodelay(true).map_err(system)?;
        stream.set_read_timeout(None).map_err(system)?;
        stream.set_write_timeout(None).map_err(system)?;
        streams[worker] = Some(stream);
    }
    let hooks = Hooks::default();
    let inner = ProcessBuilder::new_bytes_vector(1, hooks.refill.clone(), None);
    let (builders, guard) =
        initialize_networking_from_sockets(inner, streams, roster.index, 1, hooks).map_err(system)?;
    let builder = builders.into_iter().next().ok_or_else(|| FleetError::System("no line was made".into()))?;
    Ok((Team::new(Builder::Process(builder)), Connections(Some(guard))))
}

type Lines = Vec<(usize, TcpStream)>;

/// Calls the workers before this one.
fn call_all(roster: &Roster, deadline: Instant) -> Result<Lines, FleetError> {
    (0..roster.index).map(|worker| Ok((worker, call(roster, worker, deadline)?))).collect()
}

fn call(roster: &Roster, worker: usize, deadline: Instant) -> Result<TcpStream, FleetError> {
    let silent = || FleetError::Silent { host: roster.name(worker), seconds: roster.patience.as_secs() };
    loop {
        let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        let left = left.ok_or_else(silent)?;
        if let Ok(mut stream) = TcpStream::connect_timeout(&roster.workers[worker].1, left) {
            // The other end may take its time: it is perhaps still waiting for its own start.
            limit(&stream, left.max(PAUSE)).map_err(|why| FleetError::System(why.to_string()))?;
            match shake(&mut stream, roster, End::Caller, Some(worker)) {
                Ok(_) => return Ok(stream),
                Err(Failed::Broken) => {}
                Err(Failed::Key) => return Err(FleetError::WrongKey { host: roster.name(worker) }),
                Err(Failed::Differs(how)) => return Err(how),
            }
        }
        thread::sleep(PAUSE);
    }
}

fn limit(stream: &TcpStream, longest: Duration) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(longest))?;
    stream.set_write_timeout(Some(longest))
}

/// Waits for the calls of the workers after this one.
fn await_all(roster: &Roster, listener: &TcpListener, deadline: Instant) -> Result<Lines, FleetError> {
    let mut lines: Vec<Option<TcpStream>> = (0..roster.workers.len()).map(|_| None).collect();
    let missing = |lines: &[Option<TcpStream>]| (roster.index + 1..lines.len()).find(|&i| lines[i].is_none());
    let (send, answers) = channel::<(SocketAddr, Result<usize, Failed>, TcpStream)>();
    let (mut busy, mut stranger) = (0, None);
    while let Some(absent) = missing(&lines) {
        while let Ok((from, answer, stream)) = answers.try_recv() {
            busy -= 1;
            match answer {
                Ok(worker) if worker > roster.index => lines[worker] = Some(stream),
                Ok(_) | Err(Failed::Broken) => {}
                Err(Failed::Key) => stranger = Some(from),
                Err(Failed::Differs(how)) => return Err(how),
            }
        }
        if Instant::now() >= deadline {
            let (host, seconds) = (roster.name(absent), roster.patience.as_secs());
            return Err(match stranger {
                Some(stranger) => FleetError::Stranger { host, stranger: stranger.to_string(), seconds },
                None => FleetError::Silent { host, seconds },
            });
        }
        match listener.accept() {
            Ok((mut stream, from)) if busy < AT_ONCE => {
                busy += 1;
                let (send, roster) = (send.clone(), roster.clone());
                // A caller that says nothing keeps nobody from the others.
                thread::spawn(move || {
                    let answer = limit(&stream, HANDSHAKE)
                        .map_err(Failed::from)
                        .and_then(|()| shake(&mut stream, &roster, End::Called, None));
                    let _ = send.send((from, answer, stream));
                });
            }
            // The caller is hung up on, and may try again.
            Ok(_) => {}
            Err(_) => thread::sleep(PAUSE),
        }
    }
    Ok(lines.into_iter().enumerate().filter_map(|(worker, line)| Some((worker, line?))).collect())
}
