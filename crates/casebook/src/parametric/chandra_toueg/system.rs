//! One global round as one step: what the sender does, the ages, what the receiver does. A model is put together
//! from statements only; what is claimed of it has no say here.

use super::{BufferAbstraction, DetectorModel, FirstTimeout, GhostVariables, ModelFault, PaperMachine};
use watchkeeper_prove::{ParsedStatement, System, assign, assume, choose, either, redraw};

/// The parametric system of a model. Its one step is called `round`, its paths are called `round: send, miss` and
/// the like.
pub fn rounds(model: DetectorModel) -> System {
    let name = match (model.buffer, model.crash) {
        (BufferAbstraction::Exact, false) => format!("Chandra-Toueg, {} machine", model.machine),
        (BufferAbstraction::Oldest, false) => {
            format!("Chandra-Toueg, {} machine, oldest message", model.machine)
        }
        (BufferAbstraction::Exact, true) => format!("Chandra-Toueg, {} machine with crash", model.machine),
        (BufferAbstraction::Oldest, true) => {
            format!("Chandra-Toueg, {} machine with crash, oldest message", model.machine)
        }
    };
    let system = observed(variables(parameters(System::new(&name), model), model), model);
    let mut round = Vec::new();
    if model.ends {
        round.push(assume(&format!("not (crashed and suspected and {})", model.empty())));
    }
    if model.observer == GhostVariables::Mistakes {
        round.push(assign("silence", "silence + 1"));
    }
    round.push(model.sender());
    round.push(model.receiver());
    if model.observer == GhostVariables::Settled {
        round.push(assign("settled", &format!("settled or crashed and suspected and {}", model.empty())));
    }
    let built = system.initially(model.beginning()).step("round", round);
    let built = if model.ends { built.resting_on(ENDS).resting_on(COMPLETE) } else { built };
    built.resting_on(REST).finished().expect("every model of the paper is a system")
}

const ENDS: &str = "a run ends once the sender is crashed and suspected with nothing under way: `permanence` says that \
                    nothing but numbers changes after that";

const COMPLETE: &str = "from a bound on the receiver's steps to \"in the end, and for ever\": the receiver acts at least \
                        once in Phi rounds, and the timeout stops growing when nothing is under way";

const REST: &str = "one sender and one receiver are enough: the cutoff theorem of the paper, section 6";

fn parameters(system: System, model: DetectorModel) -> System {
    let mut system = system
        .parameter("Delta", "a message of this age is received with the next reception")
        .assuming("0 <= Delta")
        .parameter("Phi", "a process acts at least once in so many rounds")
        .assuming("1 <= Phi");
    match model.first {
        FirstTimeout::Sufficient => {}
        FirstTimeout::AtLeastSufficient => {
            system = system.parameter("TO0", "the first timeout").assuming("6*Phi + Delta <= TO0");
        }
        FirstTimeout::Any => system = system.parameter("TO0", "the first timeout").assuming("0 <= TO0"),
    }
    if model.thirds {
        system = system
            .parameter("thirds", "a third of Delta, rounded down")
            .parameter("rest", "what is left of Delta")
            .assuming("0 <= rest and rest <= 2")
            .assuming("Delta = 3*thirds + rest");
    }
    system
}

fn variables(system: System, model: DetectorModel) -> System {
    let tasks = ["RNoSnd", "RRcv", "RComp"];
    let mut system = system
        .number("sTimer", 0, "how long the sender has not acted")
        .number("rTimer", 0, "how long the receiver has not acted")
        .control("rPC", &tasks, "the last task of the receiver");
    system = match model.buffer {
        BufferAbstraction::Exact => system.set("buf", "the ages of the messages under way"),
        BufferAbstraction::Oldest => {
            system.number("age", -1, "the age of the oldest message under way, -1 if there is none")
        }
    };
    system = system
        .number("wt", 0, "how long the receiver has waited")
        .number("timeout", 0, "how long it waits before it suspects")
        .flag("suspected", "whether the sender is suspected");
    if model.crash {
        system = system.flag("crashed", "whether the sender has crashed").number(
            "fresh",
            0,
            "how long ago the last message was sent, at most Delta",
        );
    }
    system
}

fn observed(system: System, model: DetectorModel) -> System {
    let since = |system: System| system.number("hLFSC", -1, "rounds since the crash, -1 before").ghost();
    match model.observer {
        GhostVariables::None => system,
        GhostVariables::Mistakes => system
            .number("silence", 0, "rounds since the last reception")
            .ghost()
            .number("mistakes", 0, "how many suspicions have ended")
            .ghost(),
        GhostVariables::Cycles => system
            .number("cycles", 0, "how often the receiver has computed since the last reception")
            .ghost()
            .flag("heard", "whether there was a reception")
            .ghost(),
        GhostVariables::Steps => system.number("steps", 0, "steps of the receiver since the crash").ghost(),
        GhostVariables::Rounds => since(system),
        GhostVariables::Spans => since(system)
            .number("spans", 0, "spans of Phi rounds since every message is old")
            .ghost()
            .number("part", 0, "rounds since the last of them was full")
            .ghost(),
        GhostVariables::Settled => system.flag("settled", "whether it was ever settled").ghost(),
    }
}

impl DetectorModel {
    /// That nothing is under way.
    pub(super) fn empty(self) -> &'static str {
        match self.buffer {
            BufferAbstraction::Exact => "(all x in 0 .. Delta: not x in buf)",
            BufferAbstraction::Oldest => "age < 0",
        }
    }

    fn beginning(self) -> Vec<ParsedStatement> {
        let task = if self.machine == PaperMachine::Tlc && !self.crash { "2" } else { "0" };
        let timeout = if self.first == FirstTimeout::Sufficient { "6*Phi + Delta" } else { "TO0" };
        let mut block = vec![assign("sTimer", "0"), assign("rTimer", "0"), assign("rPC", task)];
        block.push(match self.buffer {
            BufferAbstraction::Exact => assign("buf", "{}"),
            BufferAbstraction::Oldest => assign("age", "-1"),
        });
        block.extend([assign("wt", "0"), assign("timeout", timeout), assign("suspected", "false")]);
        if self.crash {
            block.extend([assign("crashed", "false"), assign("fresh", "0")]);
        }
        let ghosts: &[(&str, &str)] = match self.observer {
            GhostVariables::None => &[],
            GhostVariables::Mistakes => &[("silence", "0"), ("mistakes", "0")],
            GhostVariables::Cycles => &[("cycles", "0"), ("heard", "false")],
            GhostVariables::Steps => &[("steps", "0")],
            GhostVariables::Rounds => &[("hLFSC", "-1")],
            GhostVariables::Spans => &[("hLFSC", "-1"), ("spans", "0"), ("part", "0")],
            GhostVariables::Settled => &[("settled", "false")],
        };
        block.extend(ghosts.iter().map(|(name, value)| assign(name, value)));
        block
    }

    /// The sub-rounds SCrash, SSched, IncMsgAge and SSnd.
    fn sender(self) -> ParsedStatement {
        let mut send = Vec::new();
        let mut rest = Vec::new();
        if self.crash {
            send.push(assume("not crashed"));
            rest.push(assume("not crashed"));
        }
        if self.machine == PaperMachine::Tlc {
            send.push(assume("2 <= sTimer"));
        }
        send.push(assign("sTimer", "0"));
        send.extend(self.older());
        send.push(match self.buffer {
            BufferAbstraction::Exact => redraw("buf", "0", "Delta", "x", "(x in buf') = (x in buf or x = 0)"),
            BufferAbstraction::Oldest => assign("age", "max(age, 0)"),
        });
        let slow = self.fault == Some(ModelFault::SenderIsSlow);
        rest.push(assume(if slow { "sTimer < 4*Phi - 1" } else { "sTimer < 3*Phi - 1" }));
        rest.push(assign("sTimer", "sTimer + 1"));
        rest.extend(self.older());
        if !self.crash {
            return either([("send", send), ("rest", rest)]);
        }
        send.push(assign("fresh", "0"));
        let mut crash = vec![assume("not crashed"), assign("crashed", "true"), assign("sTimer", "0")];
        let mut dead = vec![assume("crashed")];
        if matches!(self.observer, GhostVariables::Rounds | GhostVariables::Spans) {
            // The machine of TLC counts only while the crash is not known.
            let grown = match self.machine {
                PaperMachine::Tlc => "if suspected then hLFSC else hLFSC + 1",
                PaperMachine::Ivy => "hLFSC + 1",
            };
            crash.push(assign("hLFSC", "0"));
            dead.push(assign("hLFSC", grown));
        }
        if self.observer == GhostVariables::Spans {
            let trusted = if self.machine == PaperMachine::Tlc { "not suspected and " } else { "" };
            crash.extend(span(""));
            dead.extend(span(trusted));
        }
        crash.extend(self.older());
        dead.extend(self.older());
        either([("send", send), ("rest", rest), ("crash", crash), ("crashed", dead)])
    }

    /// The sub-round IncMsgAge.
    fn older(self) -> Vec<ParsedStatement> {
        let mut block = vec![match self.buffer {
            BufferAbstraction::Exact => redraw(
                "buf",
                "0",
                "Delta",
                "x",
                "(x in buf') = (1 <= x and x - 1 in buf or x = Delta and Delta in buf)",
            ),
            BufferAbstraction::Oldest => {
                assign("age", "if age < 0 then -1 else if age < Delta then age + 1 else age")
            }
        }];
        if self.crash {
            block.push(assign("fresh", "if fresh < Delta then fresh + 1 else fresh"));
        }
        block
    }

    /// The sub-rounds RSched, RNoSnd, RRcv and RComp.
    fn receiver(self) -> ParsedStatement {
        let acts = |task: &str, next: &str| {
            let mut block =
                vec![assume(&format!("rPC = {task}")), assign("rTimer", "0"), assign("rPC", next)];
            if self.observer == GhostVariables::Steps {
                block.push(assign("steps", "if crashed then steps + 1 else steps"));
            }
            block
        };
        let longer = match self.machine {
            PaperMachine::Tlc => "if wt < timeout then wt + 1 else wt",
            PaperMachine::Ivy => "wt + 1",
        };
        let pause = vec![assume("rTimer < Phi - 1"), assign("rTimer", "rTimer + 1")];
        let mut wait = acts("2", "0");
        wait.push(assign("wt", longer));
        let mut miss = acts("0", "1");
        if self.fault != Some(ModelFault::OldIsMissed) {
            miss.push(assume(match self.buffer {
                BufferAbstraction::Exact => "not Delta in buf",
                BufferAbstraction::Oldest => "age < Delta",
            }));
        }
        miss.push(assign("wt", longer));
        let [mut all, mut some] = [acts("0", "1"), acts("0", "1")];
        all.extend(self.heard(true));
        some.extend(self.heard(false));
        let [mut bide, mut suspect] = [acts("1", "2"), acts("1", "2")];
        for block in [&mut bide, &mut suspect] {
            if self.observer == GhostVariables::Cycles {
                block.push(assign("cycles", "cycles + 1"));
            }
            if self.machine == PaperMachine::Ivy {
                block.push(assign("wt", "wt + 1"));
            }
        }
        bide.push(assume("wt < timeout"));
        if self.machine == PaperMachine::Tlc {
            bide.push(assign("wt", "wt + 1"));
        }
        suspect.extend([assume("timeout <= wt"), assign("suspected", "true")]);
        either([
            ("pause", pause),
            ("wait", wait),
            ("hear all", all),
            ("hear some", some),
            ("miss", miss),
            ("bide", bide),
            ("suspect", suspect),
        ])
    }

    /// A reception of everything, or of some messages and all old ones.
    fn heard(self, everything: bool) -> Vec<ParsedStatement> {
        let mut block = match (self.buffer, everything) {
            (BufferAbstraction::Exact, _) => vec![choose("taken", "0", "Delta"), assume("taken in buf")],
            (BufferAbstraction::Oldest, true) => vec![assume("0 <= age")],
            // What stays is older than what was sent last, or as old.
            (BufferAbstraction::Oldest, false) => {
                let youngest = if self.crash { "fresh" } else { "0" };
                vec![assume("0 <= age"), choose("stays", youngest, "min(age, Delta - 1)")]
            }
        };
        block.push(match (self.buffer, everything) {
            (BufferAbstraction::Exact, true) => assign("buf", "{}"),
            (BufferAbstraction::Exact, false) => {
                redraw("buf", "0", "Delta", "x", "x in buf' => x in buf and x < Delta and x != taken")
            }
            (BufferAbstraction::Oldest, true) => assign("age", "-1"),
            (BufferAbstraction::Oldest, false) => assign("age", "stays"),
        });
        match self.observer {
            GhostVariables::Mistakes => block.extend([
                assign("silence", "0"),
                assign("mistakes", "if suspected then mistakes + 1 else mistakes"),
            ]),
            GhostVariables::Cycles => block.extend([assign("cycles", "0"), assign("heard", "true")]),
            _ => {}
        }
        block.extend([
            assign("wt", "0"),
            assign("timeout", "if suspected then timeout + 1 else timeout"),
            assign("suspected", "false"),
        ]);
        block
    }
}

/// One more round is counted in spans, from the round Δ-1 after the crash on.
fn span(when: &str) -> [ParsedStatement; 2] {
    [
        assign(
            "spans",
            &format!("if {when}Delta - 1 <= hLFSC and Phi <= part + 1 then spans + 1 else spans"),
        ),
        assign(
            "part",
            &format!("if {when}Delta - 1 <= hLFSC then (if Phi <= part + 1 then 0 else part + 1) else part"),
        ),
    ]
}
