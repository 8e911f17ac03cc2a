//! From a trace to an abstract chart: which event goes into which row, and which sends and receipts are
//! one arrow. A trace from a file may be inconsistent; what cannot be drawn is told in words, and
//! nothing is left out.

use super::{
    Banner, Chart, ChartLoop, ChartRow, Lifeline, LifelineMark, LifelineMarks, LifelineSide, MarkKind,
    MessageArrow, MessageOutcome,
};
use crate::width::tame;
use watchkeeper_core::{Event, MessageId, Pid, Step, Tone, Trace};

impl Chart {
    /// Lays out a trace.
    pub fn of(trace: &Trace) -> Chart {
        let mut layout = Layout::new(trace);
        layout.start(&trace.opening);
        for (i, step) in trace.steps.iter().enumerate() {
            if trace.loops_to == Some(i) {
                layout.begin_lap(i + 1, trace.steps.len());
            }
            layout.step(i + 1, step);
        }
        layout.finish(trace)
    }
}

struct Layout {
    chart: Chart,
    /// The step that is being laid out, until its first row is known.
    beginning: Option<(usize, String)>,
    /// How many rows show what happened before the first step; no step begins in one of them.
    opened: usize,
    at: Option<String>,
    at_shown: Option<String>,
    /// Steps in which only time has passed since the last row. What happens next shows how much, so they
    /// get a row only if nothing does.
    passing: Vec<(usize, String)>,
    /// The row in which the step that is being laid out begins.
    first_row: usize,
    /// The arrow of each message that is on its way or was.
    arrows: Vec<(MessageId, usize)>,
    kinds: Vec<String>,
    /// Processes that wait to send, what they wait for, and where their span is.
    waiting: Vec<Waiting>,
    /// The row in which the loop begins, once it has.
    repeated: Option<usize>,
}

struct Waiting {
    lifeline: usize,
    to: usize,
    label: String,
    since: usize,
}

impl Layout {
    fn new(trace: &Trace) -> Layout {
        let named = trace.processes.iter().map(|name| tame(name)).collect::<Vec<_>>();
        let events = trace.opening.iter().chain(trace.steps.iter().flat_map(|step| &step.events));
        let mentioned = events.filter_map(highest).max();
        let count = named.len().max(mentioned.map_or(0, |p| p.index() + 1));
        let lifeline = |i: usize| Lifeline::new(named.get(i).cloned().unwrap_or_else(|| format!("p{i}")));
        Layout {
            chart: Chart { lifelines: (0..count).map(lifeline).collect(), ..Chart::default() },
            beginning: None,
            opened: 0,
            at: None,
            at_shown: None,
            passing: Vec::new(),
            first_row: 0,
            arrows: Vec::new(),
            kinds: Vec::new(),
            waiting: Vec::new(),
            repeated: None,
        }
    }

    fn start(&mut self, opening: &[Event]) {
        // Who crashed before anything happened has no lifeline, so there is no row in which it ends.
        let crashed =
            |event: &Event| if let Event::Crash { process } = event { Some(*process) } else { None };
        let dead: Vec<Pid> = opening.iter().map_while(crashed).collect();
        for process in &dead {
            self.chart.lifelines[process.index()].up_spans.clear();
        }
        self.events(&opening[dead.len()..], false);
        self.opened = self.chart.rows.len();
    }

    fn step(&mut self, number: usize, step: &Step) {
        let at = step.at.as_deref().map(tame);
        let later = at != self.at || !self.passing.is_empty();
        let passes = at.is_some() && at != self.at && only_time_passes(step);
        self.at = at;
        if passes {
            return self.passing.push((number, tame(&step.action)));
        }
        self.passing.clear();
        self.beginning = Some((number, tame(&step.action)));
        self.events(&step.events, later);
        // A step in which nothing happens that can be drawn is still a step.
        if let Some((_, action)) = &self.beginning {
            self.banner(Banner::Step(action.clone()));
        }
    }

    /// Places what happens together; `later` if time has passed since what happened before.
    fn events(&mut self, events: &[Event], later: bool) {
        // That a process begins to wait is the last that it does in a step, whatever it announced before
        // or after.
        let (waits, others): (Vec<&Event>, Vec<&Event>) =
            events.iter().partition(|event| matches!(event, Event::Block { .. }));
        let (others, remarks): (Vec<&Event>, Vec<&Event>) =
            others.into_iter().partition(|event| !matches!(event, Event::Remark { .. }));
        for (i, event) in others.into_iter().chain(waits).chain(remarks).enumerate() {
            self.event(event, i == 0 && later);
        }
    }

    /// Places one event; `later` if time has passed since the event before it.
    fn event(&mut self, event: &Event, later: bool) {
        let index = |p: &Pid| p.index();
        match event {
            Event::Send { message, from, to, label } => {
                let arrow = self.depart(index(from), index(to), label, MessageOutcome::InFlight);
                self.unblock(arrow, label);
                self.track(*message, arrow);
            }
            Event::Ignore { from, to, label } => {
                self.depart(index(from), index(to), label, MessageOutcome::Ignored);
            }
            Event::Overflow { from, to, label } => {
                self.depart(index(from), index(to), label, MessageOutcome::Overflow);
            }
            Event::Receive { message } => self.arrive(*message, later, "arrives", MessageOutcome::Received),
            Event::Swallow { message } => {
                self.arrive(*message, later, "is swallowed", MessageOutcome::Swallowed)
            }
            Event::Lose { message } => self.arrive(*message, later, "is lost", MessageOutcome::Lost),
            Event::Duplicate { message, copy } => self.duplicate(*message, *copy),
            Event::Block { process, to, label } => self.block(index(process), index(to), label),
            Event::Fire { process, timer } => {
                self.mark(index(process), MarkKind::Timeout, timeout(timer));
            }
            Event::Call { process, label } => {
                self.mark(index(process), MarkKind::Call, format!("call: {}", tame(label)));
            }
            Event::Crash { process } => {
                let row = self.new_row();
                let mark = LifelineMark { kind: MarkKind::Crash, text: "crash".to_string() };
                self.put(row, index(process), mark);
                if let Some((_, to)) = self.chart.lifelines[index(process)].up_spans.last_mut() {
                    to.get_or_insert(row);
                }
                self.waiting.retain(|waiting| waiting.lifeline != index(process));
                self.unblock_span(index(process), row);
            }
            Event::Recover { process } => {
                let row = self.new_row();
                let mark = LifelineMark { kind: MarkKind::Recover, text: "recovers".to_string() };
                self.put(row, index(process), mark);
                let up_spans = &mut self.chart.lifelines[index(process)].up_spans;
                if up_spans.last().is_none_or(|(_, to)| to.is_some()) {
                    up_spans.push((Some(row), None));
                }
            }
            Event::Output { process, label, tone } => {
                let kind = match tone {
                    Tone::Alarm => MarkKind::Alarm,
                    Tone::Relief => MarkKind::Relief,
                    Tone::Plain => MarkKind::Announced,
                };
                self.mark(index(process), kind, tame(label));
            }
            Event::Note { process, text } => {
                self.mark(index(process), MarkKind::Note, tame(text));
            }
            Event::Remark { text } => self.remark(tame(text)),
        }
    }

    fn block(&mut self, lifeline: usize, to: usize, label: &str) {
        let text = format!("blocked: channel to {} full ({})", self.name(to), tame(label));
        let alone = |row: &usize| self.chart.rows[*row].marks.iter().all(|marks| marks.lifeline != lifeline);
        let row = match self.current().filter(|&row| self.has_room(row, lifeline)).filter(alone) {
            Some(row) => row,
            None => self.new_row(),
        };
        self.put(row, lifeline, LifelineMark { kind: MarkKind::Blocked, text });
        self.chart.lifelines[lifeline].blocked.push((row, None));
        self.waiting.push(Waiting { lifeline, to, label: label.to_string(), since: row });
    }

    /// A row for the time that has passed since anything else happened.
    fn pass(&mut self) {
        let passing = std::mem::take(&mut self.passing);
        let Some((number, action)) = passing.last().cloned() else { return };
        let often = if passing.len() > 1 { format!(" ({} times)", passing.len()) } else { String::new() };
        self.beginning = Some((number, action.clone()));
        self.banner(Banner::Step(format!("{action}{often}")));
    }

    fn finish(mut self, trace: &Trace) -> Chart {
        self.pass();
        // If all of them began to wait in the last step, that has just been seen.
        if self.waiting.iter().any(|waiting| waiting.since < self.first_row) {
            // The words with which a run ends stay at its end.
            let above = self.repeated.map_or(0, |repeated| repeated + 1);
            let banners =
                self.chart.rows[above..].iter().rev().take_while(|row| row.banner.is_some()).count();
            let row = self.chart.rows.len() - banners;
            self.chart.rows.insert(row, ChartRow::default());
            for waiting in std::mem::take(&mut self.waiting) {
                let text = format!("blocked: channel to {} full", self.name(waiting.to));
                self.put(row, waiting.lifeline, LifelineMark { kind: MarkKind::Blocked, text });
            }
        }
        match (trace.loops_to, self.repeated) {
            (Some(to), Some(first)) => {
                self.remark(format!("and so on for ever: the next step is step {} again", to + 1));
                self.chart.repeated = Some(ChartLoop { first, last: self.chart.rows.len() - 1 });
            }
            (Some(_), None) => self.remark("nothing happens any more: so it stays for ever".to_string()),
            (None, _) => {}
        }
        self.chart
    }

    /// Says that these steps are repeated for ever.
    fn begin_lap(&mut self, from: usize, to: usize) {
        // Time that has passed before the loop is no part of it.
        self.pass();
        let steps = if from == to { format!("step {from}") } else { format!("steps {from} to {to}") };
        self.remark(format!("from here on the run repeats itself ({steps})"));
        self.repeated = Some(self.chart.rows.len() - 1);
    }

    fn name(&self, lifeline: usize) -> String {
        self.chart.lifelines[lifeline].name.clone()
    }

    fn new_row(&mut self) -> usize {
        self.chart.rows.push(ChartRow::default());
        let row = self.chart.rows.len() - 1;
        self.open(row);
        row
    }

    /// Says in this row that the step begins here, if that has not been said.
    fn open(&mut self, row: usize) {
        if let Some(step) = self.beginning.take() {
            self.first_row = row;
            self.chart.rows[row].steps.push(step);
            if self.at != self.at_shown {
                self.chart.rows[row].at = self.at.clone();
                self.at_shown = self.at.clone();
            }
        }
    }

    fn banner(&mut self, banner: Banner) {
        let row = self.new_row();
        self.chart.rows[row].banner = Some(banner);
    }

    fn remark(&mut self, text: String) {
        self.banner(Banner::Remark(text));
    }

    /// The last row, if the step that is being laid out has begun there or above.
    fn current(&self) -> Option<usize> {
        let last = self.chart.rows.len().checked_sub(1)?;
        self.beginning.is_none().then_some(last)
    }

    /// The arrow that starts or ends at a lifeline in a row.
    fn arrow_at(&self, row: usize, lifeline: usize) -> Option<&MessageArrow> {
        self.chart.arrows.iter().rev().find(|arrow| arrow_side(arrow, row, lifeline).is_some())
    }

    fn has_arrow(&self, row: usize) -> bool {
        self.chart.arrows.iter().rev().any(|arrow| arrow.start == row || end(arrow) == Some(row))
    }

    /// A mark in the current row if it can be read there, else in a new one.
    fn mark(&mut self, lifeline: usize, kind: MarkKind, text: String) -> usize {
        let row = match self.current().filter(|&row| self.has_room(row, lifeline)) {
            Some(row) => row,
            None => self.new_row(),
        };
        self.put(row, lifeline, LifelineMark { kind, text });
        row
    }

    fn has_room(&self, row: usize, lifeline: usize) -> bool {
        let there = &self.chart.rows[row];
        let crashed = there.marks.iter().any(|marks| marks.kind() == MarkKind::Crash);
        let marked = there.marks.iter().any(|marks| marks.lifeline == lifeline);
        there.banner.is_none() && !crashed && (marked || self.arrow_at(row, lifeline).is_some())
    }

    fn put(&mut self, row: usize, lifeline: usize, mark: LifelineMark) {
        if let Some(marks) = self.chart.rows[row].marks.iter_mut().find(|marks| marks.lifeline == lifeline) {
            return marks.marks.push(mark);
        }
        let arrow = self.arrow_at(row, lifeline).and_then(|arrow| arrow_side(arrow, row, lifeline));
        let side = arrow.map_or_else(|| self.usual_side(lifeline), LifelineSide::opposite);
        self.chart.rows[row].marks.push(LifelineMarks { lifeline, side, marks: vec![mark] });
    }

    /// Words stand outside of the chart where they can, so that the room between lifelines is for arrows.
    fn usual_side(&self, lifeline: usize) -> LifelineSide {
        if lifeline == 0 && self.chart.lifelines.len() > 1 { LifelineSide::Left } else { LifelineSide::Right }
    }

    /// The start of an arrow: beside the marks of its sender if the row has nothing else.
    fn depart(&mut self, from: usize, to: usize, label: &str, outcome: MessageOutcome) -> usize {
        let only_sender = |row: &usize| {
            let marks = &self.chart.rows[*row].marks;
            let own = marks.len() == 1 && marks[0].lifeline == from && marks[0].kind() != MarkKind::Crash;
            own && self.chart.rows[*row].banner.is_none() && !self.has_arrow(*row)
        };
        let start = match self.current().filter(only_sender) {
            Some(row) => row,
            None => self.new_row(),
        };
        let label = tame(label);
        let kind = self.kind(&label);
        let arrow = MessageArrow { from, to, label, number: None, kind, start, copy: false, outcome };
        for marks in &mut self.chart.rows[start].marks {
            marks.side = arrow.leaves().opposite();
        }
        self.chart.arrows.push(arrow);
        self.chart.arrows.len() - 1
    }

    fn kind(&mut self, label: &str) -> usize {
        let name = label.split([' ', '(']).next().unwrap_or_default().to_string();
        self.kinds.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.kinds.push(name);
            self.kinds.len() - 1
        })
    }

    fn track(&mut self, message: MessageId, arrow: usize) {
        self.chart.arrows[arrow].number = Some(message.0);
        self.arrows.push((message, arrow));
    }

    fn known(&self, message: MessageId) -> Option<usize> {
        self.arrows.iter().rev().find(|(known, _)| *known == message).map(|&(_, arrow)| arrow)
    }

    /// The end of an arrow: in the row of its start if nothing lies between, else in a new row.
    fn arrive(
        &mut self,
        message: MessageId,
        later: bool,
        words: &str,
        outcome: impl Fn(usize) -> MessageOutcome,
    ) {
        let known =
            self.known(message).filter(|&arrow| self.chart.arrows[arrow].outcome == MessageOutcome::InFlight);
        let Some(i) = known else {
            return self.remark(format!("message {} {words}, which this trace has not seen sent", message.0));
        };
        let arrow = &self.chart.arrows[i];
        let (from, to, start) = (arrow.from, arrow.to, arrow.start);
        let last = self.chart.rows.len() - 1;
        let alone = self.chart.rows[last].marks.iter().all(|marks| marks.lifeline == from);
        let row = if start == last && last >= self.opened && alone && !later && from != to {
            self.open(last);
            last
        } else {
            self.new_row()
        };
        self.chart.arrows[i].outcome = outcome(row);
        if self.chart.arrows[i].outcome == MessageOutcome::Swallowed(row) {
            let up_spans = &mut self.chart.lifelines[to].up_spans;
            if *up_spans == [(None, None)] {
                up_spans.clear();
            }
            let text = "swallowed".to_string();
            self.put(row, to, LifelineMark { kind: MarkKind::Swallowed, text });
        }
    }

    fn duplicate(&mut self, message: MessageId, copy: MessageId) {
        let Some(original) = self.known(message) else {
            return self
                .remark(format!("message {} is doubled, which this trace has not seen sent", message.0));
        };
        let start = self.new_row();
        let original = &self.chart.arrows[original];
        let label = format!("{} (copy)", original.label.trim_end_matches(" (copy)"));
        let arrow =
            MessageArrow { label, start, copy: true, outcome: MessageOutcome::InFlight, ..original.clone() };
        self.chart.arrows.push(arrow);
        self.track(copy, self.chart.arrows.len() - 1);
    }

    /// Ends the wait of a process that with this arrow sends what it waited to send.
    fn unblock(&mut self, arrow: usize, label: &str) {
        let MessageArrow { from, to, start, .. } = self.chart.arrows[arrow];
        let fits = |waiting: &Waiting| waiting.lifeline == from && waiting.to == to && waiting.label == label;
        if let Some(i) = self.waiting.iter().position(fits) {
            self.waiting.remove(i);
            self.unblock_span(from, start);
        }
    }

    fn unblock_span(&mut self, lifeline: usize, row: usize) {
        for span in self.chart.lifelines[lifeline].blocked.iter_mut().filter(|span| span.1.is_none()) {
            span.1 = Some(row);
        }
    }
}

fn end(arrow: &MessageArrow) -> Option<usize> {
    match arrow.outcome {
        MessageOutcome::Received(row) | MessageOutcome::Swallowed(row) | MessageOutcome::Lost(row) => {
            Some(row)
        }
        MessageOutcome::InFlight | MessageOutcome::Ignored | MessageOutcome::Overflow => None,
    }
}

/// On which side of a lifeline an arrow touches it in a row. A copy has no start at its sender.
fn arrow_side(arrow: &MessageArrow, row: usize, lifeline: usize) -> Option<LifelineSide> {
    let received =
        matches!(arrow.outcome, MessageOutcome::Received(at) | MessageOutcome::Swallowed(at) if at == row);
    if received && arrow.to == lifeline {
        return Some(arrow.arrives());
    }
    (arrow.start == row && arrow.from == lifeline && !arrow.copy).then(|| arrow.leaves())
}

/// Whether a step is a tick, or another that only lets time pass: nothing can be drawn of it, and its action
/// says so by its last word.
fn only_time_passes(step: &Step) -> bool {
    let last = step.action.split_whitespace().next_back();
    step.events.is_empty() && matches!(last, Some("passes" | "pass"))
}

/// What a chart says when a timer fires: the documents say "timeout", the protocol says which.
fn timeout(timer: &str) -> String {
    let timer = tame(timer);
    if timer.is_empty() || timer.to_lowercase().contains("timeout") {
        return if timer.is_empty() { "timeout".to_string() } else { timer };
    }
    format!("timeout {timer}")
}

/// The highest process id that an event speaks of.
fn highest(event: &Event) -> Option<Pid> {
    match event {
        Event::Send { from, to, .. } | Event::Ignore { from, to, .. } | Event::Overflow { from, to, .. } => {
            Some(*from.max(to))
        }
        Event::Block { process, to, .. } => Some(*process.max(to)),
        Event::Fire { process, .. }
        | Event::Call { process, .. }
        | Event::Crash { process }
        | Event::Recover { process }
        | Event::Output { process, .. }
        | Event::Note { process, .. } => Some(*process),
        Event::Receive { .. }
        | Event::Swallow { .. }
        | Event::Lose { .. }
        | Event::Duplicate { .. }
        | Event::Remark { .. } => None,
    }
}
