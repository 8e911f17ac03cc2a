//! A cluster from its start to its end: what happens is shown as it happens, and what is typed is done. All of
//! it happens on one thread; others only wait for input and for answers, and pass them on.

mod page;

use super::asking::{self, NodeView};
use super::changes;
use super::children::{ChildState, Children};
use super::commands::{ClusterCommand, HELP};
use super::kills::Kill;
use super::layout::{ClusterLayout, NodePlace};
use super::live::{LiveDesk, LiveRequest};
use super::observer::{ASK, observe};
use super::outcome::{ClusterOutcome, NodeOutcome, logged};
use super::relay::LinkRelay;
use super::screen::ClusterScreen;
use super::table::{ClusterRow, TableSpace, table};
use crate::interrupt;
use crate::outputs::to_stdout;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use watchkeeper_core::Pid;

/// How often it is looked whether a child has ended.
const LOOK: Duration = Duration::from_millis(50);

/// How often the table is drawn on a terminal.
const DRAW: Duration = Duration::from_millis(250);

/// What comes from other threads.
enum News {
    Line(String),
    EndOfInput,
    /// What a node said, if it answered.
    Seen(Pid, Option<Box<NodeView>>),
    /// What the desk of a page asks.
    Asked(LiveRequest),
}

/// What serves a page beside the terminal.
pub(crate) struct LiveEnd {
    pub(crate) desk: LiveDesk,
    /// What stands between the nodes, where their links can be cut.
    pub(crate) relay: Option<LinkRelay>,
}

/// What becomes of a cluster of its own accord.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterSchedule {
    /// Where nodes decide on values: how many may crash while the others still decide.
    pub(crate) deciding: Option<usize>,
    /// Whether it goes on when all have decided.
    pub(crate) keep: bool,
    /// Who is killed, the next one last.
    pub(crate) kills: Vec<Kill>,
    /// Whether a node that has crashed may be started again.
    pub(crate) restarts: bool,
}

/// What is known of each node.
#[derive(Default)]
struct Known {
    view: Option<NodeView>,
    /// When it said so.
    seen: Option<Instant>,
    /// The timeouts that were in force when it came to suspect each of its suspects.
    in_force: BTreeMap<Pid, serde_json::Value>,
    /// When its child came into its state.
    since: Option<Instant>,
    last: Option<(String, Instant)>,
}

/// A cluster that runs.
struct Session {
    children: Children,
    /// Where news of nodes that join later comes from.
    send: Sender<News>,
    course: ClusterSchedule,
    /// Whether the input has ended.
    alone: bool,
    known: Vec<Known>,
    began: Instant,
    /// Where a person looks at it on a terminal.
    screen: Option<ClusterScreen>,
    /// Where others look at it on a page.
    live: Option<LiveEnd>,
    /// What was told last, and when, where there is a page.
    told: VecDeque<(Duration, String)>,
}

/// Starts all nodes, and returns when the user has ended them, or when they have decided and nothing is left to do.
/// Others may look on, and act, at the desk of a page; then it goes on when the input has ended.
pub(crate) fn hold(
    layout: ClusterLayout,
    mut course: ClusterSchedule,
    live: Option<LiveEnd>,
) -> ClusterOutcome {
    course.kills.sort_by_key(|kill| std::cmp::Reverse(kill.at));
    let (send, news) = channel();
    listen(send.clone());
    look_at(&layout.nodes, layout.nodes.len(), live.as_ref(), send.clone());
    let mut known = Vec::new();
    known.resize_with(layout.nodes.len(), Known::default);
    let mut session = Session {
        children: Children::start(layout),
        send,
        course,
        alone: false,
        known,
        began: Instant::now(),
        screen: std::io::stdout().is_terminal().then(ClusterScreen::new),
        live,
        told: VecDeque::new(),
    };
    session.attend();
    session.run(&news);
    // Nobody waits for an answer that does not come any more.
    drop(news);
    session.screen.iter().for_each(ClusterScreen::leave);
    let outcome = session.outcome();
    session.children.end();
    outcome
}

/// Passes on what these nodes say of themselves.
fn look_at(nodes: &[NodePlace], count: usize, live: Option<&LiveEnd>, send: Sender<News>) {
    let nodes = nodes.iter().map(|place| (place.process, place.http)).collect();
    let desk = live.map(|live| live.desk.clone());
    let wants_all = move || desk.as_ref().is_some_and(|desk| desk.wants_details(count));
    observe(nodes, wants_all, move |process, view| send.send(News::Seen(process, view)).is_ok());
}

/// Passes the lines of standard input on.
fn listen(send: Sender<News>) {
    let without = send.clone();
    let listening = thread::Builder::new().spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if send.send(News::Line(line)).is_err() {
                return;
            }
        }
        let _ = send.send(News::EndOfInput);
    });
    if listening.is_err() {
        let _ = without.send(News::EndOfInput);
    }
}

impl Session {
    fn run(&mut self, news: &Receiver<News>) {
        let (mut draw_at, mut look_at) = (Instant::now(), Instant::now());
        while !interrupt::asked() {
            match news.recv_timeout(self.pause()) {
                Ok(News::Line(line)) => {
                    if !self.obey(&line) {
                        return;
                    }
                    self.screen.iter().for_each(ClusterScreen::prompt);
                }
                Ok(News::Asked(request)) => self.attend_to(request),
                Ok(News::EndOfInput) if self.live.is_some() => {}
                // Whoever is not there to say `quit` waits for the decisions.
                Ok(News::EndOfInput) if self.will_decide() => self.alone = true,
                Ok(News::EndOfInput) => return,
                Ok(News::Seen(process, view)) => self.see(process, view.map(|view| *view)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if Instant::now() >= look_at {
                self.bury();
                look_at = Instant::now() + LOOK;
            }
            self.kill_who_is_due();
            if self.has_decided() || self.alone && !self.will_decide() {
                return;
            }
            if Instant::now() >= draw_at {
                self.draw();
                draw_at = Instant::now() + DRAW;
            }
        }
    }

    /// Does what was typed; `false` if that was to end.
    fn obey(&mut self, line: &str) -> bool {
        let command = match line.parse::<ClusterCommand>() {
            Ok(command) => command,
            Err(why) => {
                self.answer(&why);
                return true;
            }
        };
        let done = match command {
            ClusterCommand::Quit => return false,
            ClusterCommand::Nothing => Ok(()),
            ClusterCommand::Help => Err(HELP.to_string()),
            // On a terminal the table is there already.
            ClusterCommand::Status if self.screen.is_some() => Ok(()),
            ClusterCommand::Status => Err(table(&self.rows(), TableSpace::UNLIMITED).join("\n")),
            ClusterCommand::Join => self.join(),
            _ => self.command(command),
        };
        self.answer(done.as_ref().err().map_or("", String::as_str));
        true
    }

    /// Does something to a node, and tells of it; or says why not.
    fn command(&mut self, command: ClusterCommand) -> Result<(), String> {
        let Some(process) = command.process() else { return Ok(()) };
        let nodes = &self.children.layout().nodes;
        let Some(place) = nodes.get(process.index()) else {
            return Err(format!("there is no {process}; the last is p{}", nodes.len() - 1));
        };
        let done = match command {
            ClusterCommand::Kill(_) => self.children.kill(process).map(|()| "is killed"),
            ClusterCommand::Pause(_) => self.children.pause(process).map(|()| "is paused"),
            ClusterCommand::Resume(_) => self.children.resume(process).map(|()| "is resumed"),
            // It would have forgotten what it adopted, and could help to decide something else.
            ClusterCommand::Restart(_) if !self.course.restarts => Err(format!(
                "{process} is not started again: it has forgotten what it promised, and agreement is for processes \
                 that crash for good"
            )),
            ClusterCommand::Restart(_) => self.children.restart(process).map(|()| "is started again"),
            ClusterCommand::Call(_, what) => {
                // Nothing is done to the node itself, and what comes of it is seen.
                return asking::call(place.http, what)
                    .map_err(|why| format!("{process} is not asked: {why}"));
            }
            _ => self.children.leave(process).map(|()| "is told to leave"),
        }?;
        if matches!(command, ClusterCommand::Kill(_) | ClusterCommand::Restart(_)) {
            self.live.iter().for_each(|live| live.desk.ended(process));
        }
        self.done(process, &format!("{process} {done}"));
        Ok(())
    }

    /// One more node joins.
    fn join(&mut self) -> Result<(), String> {
        let place = self.children.join()?;
        self.known.push(Known::default());
        look_at(&[place], self.known.len(), self.live.as_ref(), self.send.clone());
        self.done(place.process, &format!("{} is started, and joins", place.process));
        Ok(())
    }

    /// Something was done to a node.
    fn done(&mut self, process: Pid, what: &str) {
        self.known[process.index()].since = Some(Instant::now());
        self.tell(process, what);
        let gone = self.gone();
        if let Some(most) = self.course.deciding.filter(|most| gone > *most) {
            self.tell(
                process,
                &format!(
                    "{gone} nodes are gone, and with more than {most} of them nobody need decide any more"
                ),
            );
        }
    }

    /// How many nodes do not run.
    fn gone(&self) -> usize {
        self.children
            .layout()
            .nodes
            .iter()
            .filter(|place| !self.children.state(place.process).is_there())
            .count()
    }

    /// Whether it ends of its own accord, as far as anyone can tell.
    fn will_decide(&self) -> bool {
        self.course.deciding.is_some_and(|most| self.gone() <= most) && !self.course.keep
    }

    /// How long to wait for news: until the next kill, and never for long.
    fn pause(&self) -> Duration {
        let next = self.course.kills.last();
        next.map_or(ASK, |kill| kill.at.saturating_sub(self.began.elapsed()).min(ASK))
    }

    /// Kills whose moment has come. A node that is gone already stays so.
    fn kill_who_is_due(&mut self) {
        while let Some(kill) = self.course.kills.pop_if(|kill| kill.at <= self.began.elapsed()) {
            if self.children.kill(kill.process).is_ok() {
                self.live.iter().for_each(|live| live.desk.ended(kill.process));
                self.done(kill.process, &format!("{} is killed by chance", kill.process));
            }
        }
    }

    /// Whether every node that is alive has decided, and nothing is left to come.
    fn has_decided(&self) -> bool {
        let alive =
            |process: &Pid| matches!(self.children.state(*process), ChildState::Up | ChildState::Paused);
        let decided = |process: Pid| {
            let view = self.known[process.index()].view.as_ref();
            view.is_some_and(|view| view.decision.is_some())
        };
        let mut alive =
            self.children.layout().nodes.iter().map(|place| place.process).filter(alive).peekable();
        self.course.deciding.is_some()
            && !self.course.keep
            && self.course.kills.is_empty()
            && alive.peek().is_some()
            && alive.all(decided)
    }

    /// What came of it.
    fn outcome(&self) -> ClusterOutcome {
        let deciding = self.course.deciding.is_some();
        let fate = |process: Pid| {
            let state = self.children.state(process);
            let seen = self.known[process.index()].view.as_ref().and_then(|view| view.decision);
            let log = || deciding.then(|| logged(&self.children.layout().log(process))).flatten();
            let decision =
                seen.map(|(value, took)| (value, Some(took))).or_else(|| log().map(|value| (value, None)));
            NodeOutcome { process, gone: (!state.is_there()).then(|| state.name()), decision }
        };
        ClusterOutcome {
            deciding,
            fates: self.children.layout().nodes.iter().map(|place| fate(place.process)).collect(),
        }
    }

    /// Takes in what a node said.
    fn see(&mut self, process: Pid, view: Option<NodeView>) {
        // An answer may have been on its way when its node was killed or stopped.
        if !matches!(self.children.state(process), ChildState::Up | ChildState::Left(false)) {
            return;
        }
        let Some(view) = view else { return };
        let known = &self.known[process.index()];
        for change in changes::between(process, known.view.as_ref(), &view) {
            self.tell(process, &change);
        }
        self.known[process.index()].take_in(view);
    }

    /// Tells of children that have ended.
    fn bury(&mut self) {
        for process in self.children.ended() {
            self.known[process.index()].since = Some(Instant::now());
            self.live.iter().for_each(|live| live.desk.ended(process));
            let change = match self.children.state(process) {
                ChildState::Failed(how) => format!("{process} has failed: {how}"),
                _ => format!("{process} has left"),
            };
            self.tell(process, &change);
        }
    }

    /// Something has changed.
    fn tell(&mut self, process: Pid, change: &str) {
        let first = change.lines().next().unwrap_or_default().to_string();
        self.known[process.index()].last = Some((first, Instant::now()));
        self.announce(change);
    }

    /// Something has changed that is about no single node.
    fn announce(&mut self, change: &str) {
        let at = self.began.elapsed();
        self.keep(at, change);
        let line = format!("{:>8.3}  {change}", at.as_secs_f64());
        match &mut self.screen {
            Some(screen) => screen.tell(&line),
            None => print(&format!("{line}\n")),
        }
    }

    /// Answers what was typed.
    fn answer(&mut self, text: &str) {
        match &mut self.screen {
            Some(screen) => screen.answer(text),
            None if text.is_empty() => {}
            None => print(&format!("{text}\n")),
        }
        self.draw();
    }

    fn rows(&self) -> Vec<ClusterRow<'_>> {
        let now = Instant::now();
        self.children.layout().nodes.iter().map(|place| self.row(place.process, now)).collect()
    }

    fn row(&self, process: Pid, now: Instant) -> ClusterRow<'_> {
        let known = &self.known[process.index()];
        ClusterRow {
            process,
            state: self.children.state(process),
            since: now - known.since.unwrap_or(self.began),
            view: known.view.as_ref(),
            last: known.last.as_ref().map(|(what, at)| (what.as_str(), now - *at)),
        }
    }

    /// Draws the screen, where there is one.
    fn draw(&mut self) {
        if let Some(mut screen) = self.screen.take() {
            screen.draw(&self.rows());
            self.screen = Some(screen);
        }
    }
}

fn print(text: &str) {
    // Where nobody reads it, there is nobody to tell.
    let _ = to_stdout(text);
}
