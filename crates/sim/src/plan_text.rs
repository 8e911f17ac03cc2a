//! Plans as text: one line for each thing, so that a person can read a plan, change it and run it again. What is written is
//! exactly what is read.

use crate::distribution::DelayDistribution;
use crate::plan::{FaultAction, PlannedCall, PlannedFault, SimulationPlan};
use crate::quantity::{Nanos, QuantityError};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet};

/// The first line.
const MARK: &str = "watchkeeper-plan 1";

/// The most processes, faults and calls of a plan.
const MOST: usize = 10_000;

impl fmt::Display for SimulationPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SimulationPlan { seed, n, lasts, delay, fast_greetings, late, one_clock, starts, calls, faults } =
            self;
        writeln!(f, "{MARK}")?;
        let clocks = if *one_clock { "one" } else { "own" };
        let greetings = if *fast_greetings { "fast" } else { "same" };
        writeln!(
            f,
            "seed={seed} n={n} lasts={} delay={delay} greetings={greetings} late={} clocks={clocks}",
            Nanos(*lasts),
            Nanos(*late)
        )?;
        let starts: Vec<String> = starts.iter().map(|at| Nanos(*at).to_string()).collect();
        writeln!(f, "starts {}", starts.join(" "))?;
        for PlannedCall { at, process, call } in calls {
            writeln!(f, "{} call process={process} call={call}", Nanos(*at))?;
        }
        for PlannedFault { at, fault } in faults {
            writeln!(f, "{} {fault}", Nanos(*at))?;
        }
        Ok(())
    }
}

impl fmt::Display for FaultAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FaultAction::Slow { from, to, until, by } => {
                write!(f, "slow from={from} to={to} until={} by={}", Nanos(until), Nanos(by))
            }
            FaultAction::Lose { from, to, until, share } => {
                write!(f, "lose from={from} to={to} until={} share={share}", Nanos(until))
            }
            FaultAction::Duplicate { until, share, by } => {
                write!(f, "duplicate until={} share={share} by={}", Nanos(until), Nanos(by))
            }
            FaultAction::Reorder { until, share, by } => {
                write!(f, "reorder until={} share={share} by={}", Nanos(until), Nanos(by))
            }
            FaultAction::Cut { from, to, until, both } => {
                write!(f, "cut from={from} to={to} until={} both={both}", Nanos(until))
            }
            FaultAction::Rate { process, ppm } => write!(f, "rate process={process} ppm={ppm}"),
            FaultAction::Jump { process, by } => write!(f, "jump process={process} ns={by}"),
            FaultAction::Stall { process, lasts } => {
                write!(f, "stall process={process} lasts={}", Nanos(lasts))
            }
            FaultAction::Crash { process } => write!(f, "crash process={process}"),
            FaultAction::Restart { process } => write!(f, "restart process={process}"),
            FaultAction::SlowDisk { process, until, by } => {
                write!(f, "slow-disk process={process} until={} by={}", Nanos(until), Nanos(by))
            }
            FaultAction::FullDisk { process } => write!(f, "full-disk process={process}"),
            FaultAction::LostTail { process, lines } => {
                write!(f, "lost-tail process={process} lines={lines}")
            }
            FaultAction::Keys { process, step } => write!(f, "keys process={process} step={step}"),
            FaultAction::Flood { to, kind, from, count, until } => {
                write!(f, "flood to={to} kind={kind} count={count} until={}", Nanos(until))?;
                from.map_or(Ok(()), |from| write!(f, " from={from}"))
            }
        }
    }
}

/// Why a text is not a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// It does not begin like one.
    #[error("a plan begins with the line `{MARK}`; take one that `simulate` has printed")]
    Mark,
    /// A line is none of a plan.
    #[error("line {line}: {why}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl FromStr for SimulationPlan {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<SimulationPlan, PlanError> {
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let mut lines = lines.by_ref().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        if lines.next().is_none_or(|(_, line)| line != MARK) {
            return Err(PlanError::Mark);
        }
        let missing =
            |what: &str| PlanError::Line { line: 0, why: format!("the line with {what} is missing") };
        let (line, head) = lines.next().ok_or_else(|| missing("seed="))?;
        let mut plan = head_of(head).map_err(|why| PlanError::Line { line, why })?;
        let (line, starts) = lines.next().ok_or_else(|| missing("starts"))?;
        plan.starts = starts_of(starts).map_err(|why| PlanError::Line { line, why })?;
        for (line, text) in lines {
            read_line(text, &mut plan).map_err(|why| PlanError::Line { line, why })?;
        }
        plan.faults.sort_by_key(|planned| planned.at);
        plan.calls.sort_by_key(|planned| planned.at);
        Ok(plan)
    }
}

fn head_of(text: &str) -> Result<SimulationPlan, String> {
    let words = Words::of(text)?;
    let clocks: String = words.get("clocks")?;
    let n: usize = words.get("n")?;
    if !(1..=MAX_PROCESSES).contains(&n) {
        return Err(format!("n is from 1 to {MAX_PROCESSES}"));
    }
    Ok(SimulationPlan {
        seed: words.get("seed")?,
        n,
        lasts: words.span("lasts")?,
        delay: words.get::<DelayDistribution>("delay")?,
        fast_greetings: match words.text("greetings")? {
            "fast" => true,
            "same" => false,
            other => return Err(format!("greetings={other}: write fast or same")),
        },
        late: words.span("late")?,
        one_clock: match clocks.as_str() {
            "one" => true,
            "own" => false,
            other => return Err(format!("clocks={other}: write one or own")),
        },
        starts: Vec::new(),
        calls: Vec::new(),
        faults: Vec::new(),
    })
}

fn starts_of(text: &str) -> Result<Vec<u64>, String> {
    let mut words = text.split_whitespace();
    if words.next() != Some("starts") {
        return Err("the third line says when each process starts: starts 0ns 0ns ...".to_string());
    }
    let read = |word: &str| word.parse::<Nanos>().map(|Nanos(at)| at).map_err(|why| why.to_string());
    let starts: Vec<u64> = words.map(read).collect::<Result<_, _>>()?;
    if (1..=MAX_PROCESSES).contains(&starts.len()) {
        Ok(starts)
    } else {
        Err(format!("there are {} starts; give each process one", starts.len()))
    }
}

fn read_line(text: &str, plan: &mut SimulationPlan) -> Result<(), String> {
    if plan.faults.len() + plan.calls.len() >= MOST {
        return Err(format!("a plan has at most {MOST} lines"));
    }
    let (at, rest) = text.split_once(' ').ok_or("a line is a time and what happens then")?;
    let Nanos(at) = at.parse().map_err(|why: QuantityError| why.to_string())?;
    let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let words = Words::of(rest)?;
    let processes = plan.starts.len();
    if name == "call" {
        let (process, call) = (words.process("process", processes)?, words.get("call")?);
        plan.calls.push(PlannedCall { at, process, call });
    } else {
        plan.faults.push(PlannedFault { at, fault: fault_of(name, &words, processes)? });
    }
    Ok(())
}

fn fault_of(name: &str, words: &Words<'_>, n: usize) -> Result<FaultAction, String> {
    let process = || words.process("process", n);
    let (from, to) = (|| words.set("from", n), || words.set("to", n));
    let (until, by) = (|| words.span("until"), || words.span("by"));
    let share = || words.get("share");
    Ok(match name {
        "slow" => FaultAction::Slow { from: from()?, to: to()?, until: until()?, by: by()? },
        "lose" => FaultAction::Lose { from: from()?, to: to()?, until: until()?, share: share()? },
        "duplicate" => FaultAction::Duplicate { until: until()?, share: share()?, by: by()? },
        "reorder" => FaultAction::Reorder { until: until()?, share: share()?, by: by()? },
        "cut" => FaultAction::Cut { from: from()?, to: to()?, until: until()?, both: words.get("both")? },
        "rate" => {
            let ppm: i32 = words.get("ppm")?;
            if ppm.abs() > 500_000 {
                return Err("ppm is from -500000 to 500000".to_string());
            }
            FaultAction::Rate { process: process()?, ppm }
        }
        "jump" => FaultAction::Jump { process: process()?, by: words.get("ns")? },
        "stall" => FaultAction::Stall { process: process()?, lasts: words.span("lasts")? },
        "crash" => FaultAction::Crash { process: process()? },
        "restart" => FaultAction::Restart { process: process()? },
        "slow-disk" => FaultAction::SlowDisk { process: process()?, until: until()?, by: by()? },
        "full-disk" => FaultAction::FullDisk { process: process()? },
        "lost-tail" => FaultAction::LostTail { process: process()?, lines: words.get("lines")? },
        "keys" => FaultAction::Keys { process: process()?, step: words.get("step")? },
        "flood" => FaultAction::Flood {
            to: words.process("to", n)?,
            kind: words.get("kind")?,
            from: words.0.contains_key("from").then(|| words.process("from", n)).transpose()?,
            count: words.get("count")?,
            until: until()?,
        },
        _ => return Err(format!("`{name}` is no fault")),
    })
}

/// The words `key=value` of a line.
struct Words<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Result<Words<'a>, String> {
        let pair = |word: &'a str| word.split_once('=').ok_or(format!("`{word}` is not KEY=VALUE"));
        text.split_whitespace().map(pair).collect::<Result<_, _>>().map(Words)
    }

    fn text(&self, key: &str) -> Result<&'a str, String> {
        self.0.get(key).copied().ok_or_else(|| format!("{key}= is missing"))
    }

    fn get<T: FromStr<Err: fmt::Display>>(&self, key: &str) -> Result<T, String> {
        self.text(key)?.parse().map_err(|why: T::Err| format!("{key}: {why}"))
    }

    fn span(&self, key: &str) -> Result<u64, String> {
        self.get::<Nanos>(key).map(|Nanos(ns)| ns)
    }

    fn process(&self, key: &str, n: usize) -> Result<Pid, String> {
        process(self.text(key)?, n)
    }

    fn set(&self, key: &str, n: usize) -> Result<ProcSet, String> {
        let text = self.text(key)?;
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let inner = inner.ok_or_else(|| format!("`{text}` is not a set of processes; write {{p0,p2}}"))?;
        inner.split(',').filter(|name| !name.is_empty()).map(|name| process(name, n)).collect()
    }
}

fn process(text: &str, n: usize) -> Result<Pid, String> {
    let number = text.strip_prefix('p').and_then(|number| number.parse().ok()).filter(|number| *number < n);
    number.and_then(Pid::new).ok_or_else(|| format!("`{text}` is no process; there are p0 to p{}", n - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FloodKind, RotationStep};

    pub(crate) fn every_fault() -> Vec<FaultAction> {
        let (p, q) = (Pid::at(0), Pid::at(2));
        let (from, to) = (ProcSet::only(p), ProcSet::first(3).without(p));
        vec![
            FaultAction::Slow { from, to, until: 7, by: 8_000_000 },
            FaultAction::Lose { from, to: ProcSet::EMPTY, until: 7, share: 1 },
            FaultAction::Duplicate { until: 1_000_000_000, share: 500_000, by: 3 },
            FaultAction::Reorder { until: 7, share: 1_000_000, by: 9 },
            FaultAction::Cut { from, to, until: 7, both: true },
            FaultAction::Rate { process: q, ppm: -200 },
            FaultAction::Jump { process: q, by: -3_600_000_000_000 },
            FaultAction::Stall { process: p, lasts: 400_000_000 },
            FaultAction::Crash { process: p },
            FaultAction::Restart { process: p },
            FaultAction::SlowDisk { process: p, until: 7, by: 5_000 },
            FaultAction::FullDisk { process: p },
            FaultAction::LostTail { process: p, lines: 3 },
            FaultAction::Keys { process: p, step: RotationStep::Switch },
            FaultAction::Flood { to: p, kind: FloodKind::Replay, from: None, count: 100, until: 7 },
            FaultAction::Flood { to: p, kind: FloodKind::Leaked, from: Some(q), count: 1, until: 7 },
        ]
    }

    #[test]
    fn a_plan_with_every_fault_is_read_as_it_was_written() {
        let faults = every_fault().into_iter().enumerate();
        let plan = SimulationPlan {
            seed: u64::MAX,
            n: 3,
            lasts: 5_000_000_001,
            delay: DelayDistribution::Pareto { least: 1, alpha: 1250 },
            fast_greetings: true,
            late: 2_000_000,
            one_clock: false,
            starts: vec![0, 1, 2_000],
            calls: vec![PlannedCall { at: 5, process: Pid::at(1), call: 4 }],
            faults: faults.map(|(at, fault)| PlannedFault { at: at as u64, fault }).collect(),
        };
        let text = plan.to_string();
        assert_eq!(text.parse(), Ok(plan), "{text}");
    }

    #[test]
    fn what_is_no_plan_is_refused_with_its_line() {
        let good = "watchkeeper-plan 1\nseed=1 n=2 lasts=1s delay=constant:1ms greetings=same late=0ns clocks=one\nstarts 0ns 0ns\n";
        assert!(good.parse::<SimulationPlan>().is_ok());
        let refused = |text: &str| text.parse::<SimulationPlan>().expect_err(text).to_string();
        assert!(refused("").starts_with("a plan begins with the line"));
        for (line, part) in [
            ("5ms crash process=p2", "line 4: `p2` is no process; there are p0 to p1"),
            ("5ms crash", "line 4: process= is missing"),
            ("5 crash process=p0", "line 4: `5` is not a span of time"),
            ("5ms explode process=p0", "line 4: `explode` is no fault"),
            ("5ms rate process=p0 ppm=600000", "line 4: ppm is from -500000 to 500000"),
            ("5ms cut from=p0 to={p1} until=1s both=true", "line 4: `p0` is not a set of processes"),
        ] {
            let why = refused(&format!("{good}{line}\n"));
            assert!(why.starts_with(part), "{why}");
        }
        assert!(refused("watchkeeper-plan 1\n").contains("seed="));
        assert!(refused(&good.replace("n=2", "n=0")).contains("n is from 1 to"));
    }
}
