//! The counterexamples that the documents draw as message sequence charts, as traces: the thesis's
//! figures 6.10, 6.12 (b) and (c), and 6.13; and made-up ones that use everything a trace can hold.

use watchkeeper_core::{Event, MessageId, Pid, Step, Tone, Trace, Value};

pub const ASK: &str = "ARE-YOU-ALIVE";
pub const ANSWER: &str = "I-AM-ALIVE";

/// A trace that is being written down.
pub struct Story(Trace);

impl Story {
    pub fn of(processes: &[&str]) -> Story {
        let processes = processes.iter().map(|name| name.to_string()).collect();
        Story(Trace { processes, ..Trace::default() })
    }

    pub fn opening(mut self, events: impl IntoIterator<Item = Event>) -> Story {
        self.0.opening = events.into_iter().collect();
        self
    }

    pub fn step(mut self, action: &str, events: impl IntoIterator<Item = Event>) -> Story {
        let events = events.into_iter().collect();
        let after = vec![("step".to_string(), Value::Int(self.0.steps.len() as i64 + 1))];
        self.0.steps.push(Step { action: action.to_string(), at: None, events, after });
        self
    }

    pub fn at(mut self, time: &str) -> Story {
        self.0.steps.last_mut().expect("a step").at = Some(time.to_string());
        self
    }

    pub fn end(mut self) -> Trace {
        self.0.start = vec![("step".to_string(), Value::Int(0))];
        self.0
    }
}

fn p(i: usize) -> Pid {
    Pid::at(i)
}

pub fn send(number: u32, from: usize, to: usize, label: &str) -> Event {
    Event::Send { message: MessageId(number), from: p(from), to: p(to), label: label.to_string() }
}

pub fn receive(number: u32) -> Event {
    Event::Receive { message: MessageId(number) }
}

pub fn swallow(number: u32) -> Event {
    Event::Swallow { message: MessageId(number) }
}

pub fn lose(number: u32) -> Event {
    Event::Lose { message: MessageId(number) }
}

pub fn duplicate(number: u32, copy: u32) -> Event {
    Event::Duplicate { message: MessageId(number), copy: MessageId(copy) }
}

pub fn ignore(from: usize, to: usize, label: &str) -> Event {
    Event::Ignore { from: p(from), to: p(to), label: label.to_string() }
}

pub fn overflow(from: usize, to: usize, label: &str) -> Event {
    Event::Overflow { from: p(from), to: p(to), label: label.to_string() }
}

pub fn block(process: usize, to: usize, label: &str) -> Event {
    Event::Block { process: p(process), to: p(to), label: label.to_string() }
}

pub fn fire(process: usize, timer: &str) -> Event {
    Event::Fire { process: p(process), timer: timer.to_string() }
}

pub fn call(process: usize, label: &str) -> Event {
    Event::Call { process: p(process), label: label.to_string() }
}

pub fn crash(process: usize) -> Event {
    Event::Crash { process: p(process) }
}

pub fn recover(process: usize) -> Event {
    Event::Recover { process: p(process) }
}

pub fn suspect(process: usize, whom: &str) -> Event {
    Event::Output { process: p(process), label: format!("suspect {whom}"), tone: Tone::Alarm }
}

pub fn trust(process: usize, whom: &str) -> Event {
    Event::Output { process: p(process), label: format!("stop suspecting {whom}"), tone: Tone::Relief }
}

pub fn announce(process: usize, what: &str) -> Event {
    Event::Output { process: p(process), label: what.to_string(), tone: Tone::Plain }
}

pub fn note(process: usize, text: &str) -> Event {
    Event::Note { process: p(process), text: text.to_string() }
}

pub fn remark(text: &str) -> Event {
    Event::Remark { text: text.to_string() }
}

/// T, figure 6.10: with a buffer of one place the second round blocks.
pub fn figure_6_10() -> Trace {
    Story::of(&["p0", "p1", "p2"])
        .step("p1 crashes", [crash(1)])
        .step("p2 polls its target p0", [send(1, 2, 0, ASK)])
        .step("p2 gives up on p0", [fire(2, ""), suspect(2, "p0")])
        .step("p0 polls its target p2", [send(2, 0, 2, ASK)])
        .step("p2 receives ARE-YOU-ALIVE from p0", [receive(2), send(3, 2, 0, ANSWER), trust(2, "p0")])
        .step("p0 receives ARE-YOU-ALIVE from p2", [receive(1), send(4, 0, 2, ANSWER)])
        .step(
            "Task2 of p2 receives I-AM-ALIVE",
            [receive(4), note(2, "received by Task2, which waits for the mutex")],
        )
        .step("Task1 of p2 polls its target p0", [send(5, 2, 0, ASK)])
        .step(
            "Task2 of p2 handles I-AM-ALIVE",
            [note(2, "Task2 gets the mutex and processes the I-AM-ALIVE it has already received")],
        )
        .step("Task1 of p2 polls its target p0", [block(2, 0, ASK)])
        .step("p0 receives I-AM-ALIVE from p2", [receive(3)])
        .step(
            "p0 polls its target p2",
            [send(6, 0, 2, ASK), remark("deadlock: p2 holds the mutex and waits for room in a full channel")],
        )
        .end()
}

/// T, figure 6.12 (b): a late ARE-YOU-ALIVE clears a process that has crashed.
pub fn figure_6_12_b() -> Trace {
    Story::of(&["corr_pred(p)", "p"])
        .step("p polls", [send(1, 1, 0, ASK)])
        .step("corr_pred(p) polls p", [send(2, 0, 1, ASK)])
        .at("t")
        .step("p receives ARE-YOU-ALIVE", [receive(2), send(3, 1, 0, ANSWER)])
        .step("corr_pred(p) receives I-AM-ALIVE", [receive(3)])
        .step("p crashes", [crash(1)])
        .step("corr_pred(p) polls p", [send(4, 0, 1, ASK)])
        .at("t'")
        .step("timeout", [fire(0, ""), suspect(0, "p")])
        .at("t'+Δ")
        .step("ARE-YOU-ALIVE arrives at the crashed p", [swallow(4)])
        .step("corr_pred(p) receives ARE-YOU-ALIVE", [receive(1), send(5, 0, 1, ANSWER), trust(0, "p")])
        .step("corr_pred(p) polls p", [send(6, 0, 1, ASK)])
        .step("timeout", [fire(0, ""), suspect(0, "p")])
        .step(
            "I-AM-ALIVE arrives at the crashed p",
            [
                swallow(5),
                remark("oscillation:1: a crashed process was suspected and then trusted again once"),
            ],
        )
        .end()
}

/// T, figure 6.12 (c): a reply that was received before the timeout is processed after it.
pub fn figure_6_12_c() -> Trace {
    Story::of(&["corr_pred(p)", "p"])
        .step("corr_pred(p) polls p", [send(1, 0, 1, ASK)])
        .step("p receives ARE-YOU-ALIVE", [receive(1), send(2, 1, 0, ANSWER)])
        .step("p crashes", [crash(1)])
        .step("Task2 receives I-AM-ALIVE", [receive(2), note(0, "Task2 waits for the mutex")])
        .step("timeout in Task1", [fire(0, ""), suspect(0, "p")])
        .step("Task2 has the mutex", [note(0, "I-AM-ALIVE is processed by Task2"), trust(0, "p")])
        .step("corr_pred(p) polls p", [send(3, 0, 1, ASK)])
        .step("ARE-YOU-ALIVE arrives at the crashed p", [swallow(3)])
        .step("timeout", [fire(0, ""), suspect(0, "p"), note(0, "for ever")])
        .end()
}

/// T, figure 6.13: two processes block each other, each with a reply that has no room.
pub fn figure_6_13() -> Trace {
    Story::of(&["p0", "p1", "p2"])
        .step("p1 crashes", [crash(1)])
        .step("p0 polls p1", [send(1, 0, 1, ASK)])
        .step("p0 gives up on p1", [fire(0, "Reply"), suspect(0, "p1")])
        .step("p0 polls p2", [send(2, 0, 2, ASK)])
        .step("p2 polls p0", [send(3, 2, 0, ASK)])
        .step("p0 gives up on p2", [fire(0, "Reply"), suspect(0, "p2")])
        .step("p2 gives up on p0", [fire(2, "Reply"), suspect(2, "p0")])
        .step("p0 receives ARE-YOU-ALIVE", [receive(3), send(4, 0, 2, ANSWER), trust(0, "p2")])
        .step("p2 receives ARE-YOU-ALIVE", [receive(2), send(5, 2, 0, ANSWER), trust(2, "p0")])
        .step("p0 polls p2", [send(6, 0, 2, ASK)])
        .step("p2 polls p0", [send(7, 2, 0, ASK)])
        .step("p0 receives ARE-YOU-ALIVE", [receive(7), block(0, 2, ANSWER)])
        .step("p2 receives ARE-YOU-ALIVE", [receive(6), block(2, 0, ANSWER)])
        .step("ARE-YOU-ALIVE arrives at the crashed p1", [swallow(1), remark("deadlock")])
        .end()
}

/// A ring of four in which p3 has crashed before and the others poll when they start, p2 in vain.
pub fn opening() -> Trace {
    Story::of(&["p0", "p1", "p2", "p3"])
        .opening([crash(3), send(0, 0, 1, ASK), send(1, 1, 2, ASK), send(2, 2, 3, ASK)])
        .step("p2 gives up on p3", [fire(2, "Round"), suspect(2, "p3"), send(3, 2, 0, ASK)])
        .step("p1 receives ARE-YOU-ALIVE", [receive(0), send(4, 1, 0, ANSWER)])
        .step("p0 receives I-AM-ALIVE", [receive(4)])
        .step("ARE-YOU-ALIVE arrives at the crashed p3", [swallow(2)])
        .end()
}

/// A ring of three in which p2 has crashed before and starts again, and p1 crashes, starts again and crashes once
/// more. What was on its way to it is gone, and what it had sent arrives.
pub fn recovery() -> Trace {
    Story::of(&["p0", "p1", "p2"])
        .opening([crash(2), send(0, 0, 1, ASK), send(1, 1, 2, ASK)])
        .step("p1 receives ARE-YOU-ALIVE", [receive(0), send(2, 1, 0, ANSWER)])
        .step("p0: timeout", [fire(0, "Round"), send(3, 0, 1, ASK)])
        .step("p1 crashes", [crash(1)])
        .step("p0 receives I-AM-ALIVE", [receive(2)])
        .step("p2 recovers", [swallow(1), recover(2), send(4, 2, 0, ASK)])
        .step("p0: timeout", [fire(0, "Round"), suspect(0, "p1"), send(5, 0, 2, ASK)])
        .step("p1 recovers", [swallow(3), recover(1), send(6, 1, 2, ASK), send(7, 1, 0, ANSWER)])
        .step("p0 receives I-AM-ALIVE", [receive(7), trust(0, "p1")])
        .step("p1 crashes", [crash(1)])
        .step("p2 receives ARE-YOU-ALIVE", [receive(6), send(8, 2, 1, ANSWER)])
        .step("I-AM-ALIVE arrives at the crashed p1", [swallow(8)])
        .end()
}

/// Everything that a trace can hold, once.
pub fn everything() -> Trace {
    Story::of(&["p0", "p1", "p2", "p3"])
        .step("a client calls p0", [call(0, "propose 3")])
        .at("0")
        .step(
            "p0 starts",
            [
                fire(0, "Round"),
                send(1, 0, 1, "PROPOSE 3"),
                send(2, 0, 2, "PROPOSE 3"),
                send(3, 0, 3, "PROPOSE 3"),
            ],
        )
        .at("0")
        .step("message 2 is lost", [lose(2)])
        .at("1")
        .step("message 3 is doubled", [duplicate(3, 4)])
        .at("1")
        .step("p3 receives the copy", [receive(4), announce(3, "decide 3")])
        .at("2")
        .step("p1 receives", [receive(1), ignore(1, 0, "ACK 3"), overflow(1, 2, "ACK 3")])
        .at("2.5")
        .step("p2 speaks to itself", [send(5, 2, 2, "SELF")])
        .at("3")
        .step("p2 hears itself", [receive(5)])
        .at("3")
        .step("p3 crashes", [crash(3)])
        .at("3")
        .step("message 3 comes too late", [swallow(3)])
        .at("4")
        .step("p1 asks p2", [send(6, 1, 2, "ASK")])
        .at("4")
        .step("which is lost at once", [lose(6)])
        .at("4")
        .step("p1 asks p2 again", [block(1, 2, "ASK")])
        .at("4")
        .step("time passes", [])
        .at("5")
        .step("there is room", [send(7, 1, 2, "ASK")])
        .at("5")
        .step(
            "p2 receives it at once",
            [receive(7), suspect(2, "p3"), trust(2, "p0"), send(8, 2, 1, "ANSWER")],
        )
        .at("5")
        .step("an observer moves", [remark("observer: all is said"), note(2, "the end")])
        .at("6")
        .end()
}

/// The shortest failure of R1 of the binary heartbeat protocol at (5, 10), one tick at a time: a beat is lost,
/// the next comes with half the waiting time, and more than 20 pass without a beat from p1.
pub fn lost_beat() -> Trace {
    let mut story = Story::of(&["p0", "p1"]);
    let mut now = 0;
    let mut pass = |story: Story, until: u32| {
        let mut story = story;
        while now < until {
            now += 1;
            story = story.step("1 tick passes", []).at(&now.to_string());
        }
        story
    };
    story = pass(story, 10);
    story = story.step("p0: timeout Beat", [fire(0, "Beat"), send(1, 0, 1, "BEAT")]).at("10");
    story = story.step("the BEAT to p1 is lost", [lose(1)]).at("10");
    story = pass(story, 20);
    story = story.step("p0: timeout Beat", [fire(0, "Beat"), send(2, 0, 1, "BEAT")]).at("20");
    story = pass(story, 21);
    story
        .step("R1 gives up", [remark("R1: p0 is active, and more than 20 have passed without a beat of p1")])
        .at("21")
        .end()
}

/// The same in continuous time, where the bound is passed at a moment that is no whole number, and nothing
/// but time passes at the end.
pub fn lost_beat_dense() -> Trace {
    Story::of(&["p0", "p1"])
        .step("p0: timeout Beat", [fire(0, "Beat"), send(1, 0, 1, "BEAT")])
        .at("10")
        .step("the BEAT to p1 is lost", [lose(1)])
        .at("13.5")
        .step("p0: timeout Beat", [fire(0, "Beat"), send(2, 0, 1, "BEAT")])
        .at("20")
        .step("time passes", [])
        .at("20.5")
        .end()
}

/// Many processes: each polls its successor in a ring of `n`, for some rounds, all mixed up.
pub fn ring(n: usize, rounds: usize) -> Trace {
    let names: Vec<String> = (0..n).map(|i| format!("p{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut story = Story::of(&names);
    let mut number = 0;
    for round in 0..rounds {
        let asks: Vec<(u32, usize)> = (0..n).map(|i| (number + i as u32, i)).collect();
        number += n as u32;
        for &(message, i) in &asks {
            story = story.step("poll", [send(message, i, (i + 1) % n, ASK)]);
            if i == round % n {
                story = story.step("give up", [fire(i, "Reply"), suspect(i, &format!("p{}", (i + 1) % n))]);
            }
        }
        let mut answers = Vec::new();
        for &(message, i) in asks.iter().rev() {
            let answer = number;
            number += 1;
            answers.push(answer);
            story = story.step("answer", [receive(message), send(answer, (i + 1) % n, i, ANSWER)]);
        }
        for answer in answers {
            story = story.step("done", [receive(answer)]);
        }
    }
    story.end()
}

/// Names and labels that look like the syntax of what they are written into.
pub fn hostile() -> Trace {
    Story::of(&["end", "a;b", "<c> & \"d\""])
        .step("%%{init: {}}%% \n end", [send(1, 0, 1, "x; y #3 <z> {w} %% `v` \"u\": t")])
        .step("loop\x1b[31m", [fire(2, "@{}"), note(2, "end\nNote over p0: ]]> </text>")])
        .step("receive", [receive(1), announce(1, "+-x->>p0: alt else"), send(2, 1, 0, "日本語 é")])
        .step("", [remark("critical; end")])
        .step("receive", [receive(2)])
        .end()
}

/// The oscillation for ever.
pub fn lasso() -> Trace {
    Trace { loops_to: Some(3), ..figure_6_12_c() }
}

/// The mutual block for ever: a loop without steps.
pub fn rest() -> Trace {
    let block = figure_6_13();
    Trace { loops_to: Some(block.steps.len()), ..block }
}

/// A loop in time: a beat in every round, and nobody answers.
pub fn lap_in_time() -> Trace {
    let story = Story::of(&["p0", "p1"])
        .step("p1 crashes", [crash(1)])
        .at("0")
        .step("1 tick passes", [])
        .at("1")
        .step("1 tick passes", [])
        .at("2")
        .step("p0: timeout Beat", [fire(0, "Beat"), send(1, 0, 1, "BEAT")])
        .at("2")
        .step("p1 has crashed", [swallow(1)])
        .at("2")
        .step("1 tick passes", [])
        .at("3")
        .step("1 tick passes", [])
        .at("4");
    Trace { loops_to: Some(3), ..story.end() }
}

/// All of them, with names.
pub fn all() -> Vec<(String, Trace)> {
    let named = [
        ("figure-6.10", figure_6_10()),
        ("figure-6.12b", figure_6_12_b()),
        ("figure-6.12c", figure_6_12_c()),
        ("figure-6.13", figure_6_13()),
        ("opening", opening()),
        ("recovery", recovery()),
        ("everything", everything()),
        ("lost-beat", lost_beat()),
        ("lost-beat-dense", lost_beat_dense()),
        ("ring-2", ring(2, 15)),
        ("ring-3", ring(3, 2)),
        ("ring-4", ring(4, 2)),
        ("ring-6", ring(6, 1)),
        ("ring-8", ring(8, 1)),
        ("lasso", lasso()),
        ("rest", rest()),
    ];
    named.into_iter().map(|(name, trace)| (name.to_string(), trace)).collect()
}
