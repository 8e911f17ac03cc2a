//! The descriptions of the phi accrual detectors: that of the paper, and those of three systems with their defaults.

use crate::description::{Described, Description, Detector, Live};
use crate::params::{Params, ProtocolForm};
use crate::problem::Problem;
use std::str::FromStr;
use watchkeeper_core::{Assumption, Bound, Completeness, MAX_PROCESSES, ProcSet};
use watchkeeper_protocols::phi::{Phi, PhiConfig, PhiError, PhiForm};
use watchkeeper_world::{Capacity, Faults, Network, Scenario, Timing, WorldTime};

/// The value of a duration that each form chooses for itself.
const USUAL: &str = "usual";

/// The forms. Their defaults are those of the systems with a period of 1 s.
const FORMS: [ProtocolForm; 4] = [
    form(
        "phi",
        "Phi accrual failure detector, normal distribution (Hayashibara, Défago, Yared and Katayama 2004)",
        &[("form", "normal")],
    ),
    form(
        "phi-akka",
        "Phi accrual failure detector as in Akka and Pekko: logistic approximation, acceptable pause",
        &[("form", "akka")],
    ),
    form(
        "phi-cassandra",
        "Phi accrual failure detector as in Cassandra: exponential distribution, no long intervals",
        &[("form", "cassandra"), ("pause", "0"), ("deviation", "0")],
    ),
    form(
        "phi-chitchat",
        "Phi accrual failure detector as in chitchat: silence over mean, with a prior",
        &[("form", "chitchat"), ("pause", "0"), ("deviation", "0")],
    ),
];

const fn form(
    name: &'static str,
    about: &'static str,
    settled: &'static [(&'static str, &'static str)],
) -> ProtocolForm {
    ProtocolForm { name, about, settled, processes: 2, sizes: (2, MAX_PROCESSES) }
}

/// A number with up to three digits behind the point, in thousandths.
struct Thousandths(u32);

impl FromStr for Thousandths {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Thousandths, &'static str> {
        const WHY: &str = "write a number with at most three digits behind the point, such as 8 or 1.5";
        let (whole, behind) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || behind.len() > 3 || !digits(whole) || !digits(behind) {
            return Err(WHY);
        }
        let read = |text: &str| text.parse::<u32>().map_err(|_| WHY);
        let thousandths = read(&format!("{behind:0<3}"))?;
        let sum = read(whole)?.checked_mul(1000).and_then(|whole| whole.checked_add(thousandths));
        sum.map(Thousandths).ok_or(WHY)
    }
}

/// The first interval, the longest, the pause and the least deviation that a form has at this period.
fn usual(form: PhiForm, period: u32, grain: u32) -> [u32; 4] {
    let periods = |times: u32| period.saturating_mul(times);
    match form {
        PhiForm::Akka => [period, periods(100), periods(3), (period / 10).max(1)],
        PhiForm::Cassandra => [periods(2), periods(2), 0, 0],
        PhiForm::Chitchat => [periods(5), periods(10), 0, 0],
        _ => [period, periods(100), 0, grain],
    }
}

/// The detector with these parameters, for `n` processes.
pub fn build(n: usize, params: &Params) -> Result<Phi, Problem> {
    let form = match params.text("form") {
        "akka" => PhiForm::Akka,
        "cassandra" => PhiForm::Cassandra,
        "chitchat" => PhiForm::Chitchat,
        _ => PhiForm::Normal,
    };
    let (period, grain) = (params.get("period")?, params.get("grain")?);
    let [first, longest, pause, deviation] = usual(form, period, grain);
    let or = |name: &'static str, usual: u32| {
        if params.text(name) == USUAL { Ok(usual) } else { params.get(name) }
    };
    let threshold: Thousandths = params.get("threshold")?;
    let config = PhiConfig {
        form,
        period,
        threshold: threshold.0,
        window: params.get("window")?,
        grain,
        first: or("first", first)?,
        longest: or("longest", longest)?,
        pause: or("pause", pause)?,
        deviation: or("deviation", deviation)?,
    };
    Phi::new(n, config).map_err(|why| match why {
        PhiError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        PhiError::NoPeriod => params.refuse("period", why),
        PhiError::NoGrain => params.refuse("grain", why),
        PhiError::Threshold => params.refuse("threshold", why),
        PhiError::Window { .. } => params.refuse("window", why),
        PhiError::First { .. } => params.refuse("first", why),
        PhiError::Longest { .. } => params.refuse("longest", why),
    })
}

/// Messages take up to one unit of time, and one process may crash.
fn environment(_: &Phi, n: usize) -> Scenario {
    let network = Network { capacity: Capacity::Unbounded { cap: 4 }, ..Network::default() };
    let faults = Faults { crashable: ProcSet::first(n), crashes: 1, ..Faults::default() };
    let time = WorldTime::Dense(Timing::per_message(Bound::within(1)));
    Scenario { network, faults, time, ..Scenario::new(n) }
}

fn promises(around: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
    let mut in_time = vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed];
    in_time.extend((around.network.losses == 0).then_some(Assumption::Loss));
    vec![("detection", in_time.clone()), ("accuracy", in_time)]
}

impl Described for Phi {
    fn description() -> Description<Phi> {
        let about = "Phi accrual failure detector";
        let detector = Detector::default().suspecting(Phi::suspects).complete(Completeness::Strong);
        let description = Description::new("phi", about, build)
            .param("form", "normal, akka, cassandra or chitchat", "normal")
            .duration("period", "the time between two heartbeats", "20")
            .param("threshold", "the phi of a suspicion, with up to three digits behind the point", "8")
            .tuned("period", "threshold")
            .param("window", "the number of intervals kept of each peer; a search needs a small one, such as 2", "1000")
            .duration("grain", "the time by which intervals are counted", "1")
            .duration("first", "the interval expected at first: of phi and phi-akka 1 period, phi-cassandra 2, phi-chitchat 5", USUAL)
            .duration("longest", "the longest interval kept: of phi-cassandra 2 periods, phi-chitchat 10, the others 100", USUAL)
            .duration("pause", "the acceptable pause: of phi-akka 3 periods, phi 0", USUAL)
            .duration("deviation", "the least standard deviation: of phi-akka 1/10 period, phi 1 grain", USUAL)
            .detector(detector)
            .environment(environment)
            .live(Live { promises: |_, around| promises(around), ..Live::default() });
        FORMS.into_iter().fold(description, Description::form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_have_up_to_three_digits_behind_the_point() {
        let read = |text: &str| text.parse::<Thousandths>().map(|read| read.0).ok();
        assert_eq!(["8", "1.5", "0.125", "12."].map(read), [Some(8000), Some(1500), Some(125), Some(12_000)]);
        assert_eq!(["", ".5", "1.2345", "-1", "1e3", "5000000", "+8"].map(read), [None; 7]);
    }
}
