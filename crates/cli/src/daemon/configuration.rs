//! What `--check-config` prints: what would run, what is assumed of the network, in ticks and in milliseconds, and
//! which properties rest on that.

use super::NodePlan;
use crate::node_file::{Loaded, NodeFile, NodeIdentity, NodeTable};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use watchkeeper_runtime::{Assumptions, ExpectedNetwork, OpenMember, usual_lateness};
use watchkeeper_world::WorldTime;

/// Parameters whose numbers are durations, in units of the protocol's time. All others count something else, or name it.
const DURATIONS: [&str; 11] =
    ["cap", "gather", "growth", "max-delta", "period", "probe", "resend", "round", "timeout", "tmax", "tmin"];

/// A node file in words, or what flags say in place of one; `source` is what is in order, and `check` the command that checks
/// what would run.
pub(crate) fn configuration(source: &str, check: &str, loaded: &Loaded<'_>, record: Option<&Path>) -> String {
    let Loaded { file, node_plan, .. } = loaded;
    let mut out = format!("{source} in order. It would run:\n\n");
    for (name, text) in node(file, node_plan, record) {
        out.push_str(&row(name, &text));
    }
    out.push_str("\nAssumed, and watched over while it runs:\n\n");
    for (name, text) in assumed(file, &node_plan.assumptions) {
        out.push_str(&row(name, &text));
    }
    out.push_str(&resting(node_plan.protocol, &node_plan.assumptions, &node_plan.plan.scenario.time));
    for warning in &file.warnings {
        out.push_str(&format!("\nwarning: {warning}\n"));
    }
    out.push_str(&format!("\nTo check what it rests on: {check}\n"));
    out
}

fn row(name: &str, text: &str) -> String {
    let lines = text.replace('\n', &format!("\n  {:12}", ""));
    format!("  {name:<10}  {lines}\n")
}

fn node(file: &NodeFile, node_plan: &NodePlan, record: Option<&Path>) -> Vec<(&'static str, String)> {
    let NodeFile { node, peers, keys, .. } = file;
    let (n, protocol) = (node_plan.plan.scenario.n, node_plan.protocol);
    let peers: Vec<String> = peers.iter().map(|(peer, address)| format!("{peer} at {address}")).collect();
    let current = keys.ring.current();
    let keys = keys.list.iter().map(|key| {
        let place = key.file.as_ref().map_or("in this file".to_string(), |file| file.display().to_string());
        let seals = if key.id == current { ", which seals" } else { ", which only opens" };
        format!("{}, {place}{seals}", key.id)
    });
    let mut rows = vec![
        ("protocol", format!("{protocol}: {}", node_plan.about)),
        ("node", who(node, n)),
        ("listens at", format!("{} (UDP)", node.bind)),
        ("peers", if peers.is_empty() { "whoever joins".to_string() } else { peers.join("\n") }),
        ("keys", keys.collect::<Vec<_>>().join("\n")),
        ("tick", format!("{}, one unit of the protocol's time", ms(node.tick))),
    ];
    let settings = node_plan.model.settings.iter();
    let settings =
        settings.filter_map(|(name, text)| Some(parameter(name.strip_prefix("param.")?, text, node.tick)));
    let settings: Vec<String> = settings.collect();
    if !settings.is_empty() {
        rows.push(("parameters", settings.join("\n")));
    }
    let gather = match node.gather {
        _ if node.identity.process().is_none() => "as soon as it is a member".to_string(),
        Duration::ZERO => "at once, whoever is there".to_string(),
        most => format!("when all peers are there, or after {}", ms(most)),
    };
    rows.push(("begins", gather));
    if let Ok(Some(value)) = node_plan.proposal(node.identity.process(), node.propose) {
        rows.push(("proposes", format!("{value}, as soon as it has begun")));
    }
    let http = match &node.http {
        Some((address, _)) => format!("http://{address}/status, /metrics and /healthz"),
        None => "no endpoint".to_string(),
    };
    rows.push(("http", http));
    let record = record.map_or("no recording".to_string(), |path| path.display().to_string());
    rows.push(("record", record));
    rows.push(("log", format!("{} from level {} on", node.log, node.level.name())));
    rows
}

/// Who the node is, and how it comes into its cluster.
fn who(node: &NodeTable, n: usize) -> String {
    let cluster = &node.cluster;
    let list = |seeds: &[SocketAddr]| seeds.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(", ");
    match &node.identity {
        NodeIdentity::Process(process) => format!("{process} of {n} in the cluster `{cluster}`"),
        NodeIdentity::Member(OpenMember { name, is_seed: true, seeds, .. }) if seeds.is_empty() => {
            format!("`{name}`, the seed of the cluster `{cluster}`")
        }
        NodeIdentity::Member(OpenMember { name, is_seed: true, seeds, .. }) => {
            format!("`{name}`, one of the seeds {} of the cluster `{cluster}`", list(seeds))
        }
        NodeIdentity::Member(OpenMember { name, seeds, .. }) => {
            format!("`{name}`, which asks {} to join the cluster `{cluster}`", list(seeds))
        }
    }
}

fn assumed(file: &NodeFile, assumed: &Assumptions) -> Vec<(&'static str, String)> {
    let tick = file.node.tick;
    let most = |ticks: Option<u32>, what: &str| match ticks {
        Some(1) => format!("at most 1 tick ({}) {what}", ms(tick)),
        Some(ticks) => format!("at most {ticks} ticks ({}) {what}", ms(tick * ticks)),
        None => "nothing".to_string(),
    };
    let loss = if assumed.lossless { "no message is lost" } else { "nothing: messages may be lost" };
    let lateness = file.node.lateness.unwrap_or(usual_lateness(tick));
    let half = if file.node.lateness.is_none() { ", the usual" } else { "" };
    let network = assumed.network.map(|ExpectedNetwork { round_trip, slower, loss }| {
        let percent = |millionths: u32| f64::from(millionths) / 10_000.0;
        let (slower, round_trip, loss) = (percent(slower), ms(round_trip), percent(loss));
        format!("{slower}% of round trips take more than {round_trip}, and {loss}% of messages are lost")
    });
    let mut rows = vec![
        ("delay", most(assumed.delay, "from one node to another")),
        ("round-trip", most(assumed.round_trip, "for a message and the answer to it")),
        ("loss", loss.to_string()),
        ("speed", format!("a step comes at most {} after it is due{half}", ms(lateness))),
    ];
    rows.extend(network.map(|network| ("network", network)));
    rows
}

/// A parameter, with the time that it stands for if it is a duration.
fn parameter(name: &str, text: &str, tick: Duration) -> String {
    let ticks = text.parse::<u32>().ok().filter(|_| DURATIONS.contains(&name));
    let time = ticks.and_then(|ticks| tick.checked_mul(ticks));
    format!("{name} = {text}{}", time.map_or(String::new(), |time| format!(" ({})", ms(time))))
}

fn resting(protocol: &str, assumed: &Assumptions, time: &WorldTime) -> String {
    if assumed.properties.is_empty() {
        let why = match time {
            WorldTime::Untimed => {
                "without `time` nothing is assumed about delays, and nothing in time is promised".to_string()
            }
            _ => format!("{protocol} promises none that depends on time"),
        };
        return format!("\nWhat rests on that: no property: {why}.\n");
    }
    let mut out = "\nWhat rests on that:\n\n".to_string();
    let width = assumed.properties.iter().map(|property| property.name.len()).max().unwrap_or(0).max(10);
    for property in &assumed.properties {
        let names: Vec<&str> = property.rests_on.iter().map(|assumption| assumption.name()).collect();
        out.push_str(&format!("  {:<width$}  {}\n", property.name, names.join(", ")));
    }
    out
}

/// A time as people write it.
fn ms(time: Duration) -> String {
    watchkeeper::quantities::TimeSpan(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_world::Timing;

    #[test]
    fn counts_are_no_durations() {
        let tick = Duration::from_millis(20);
        let shown = [("timeout", "5"), ("words", "5"), ("domain", "2"), ("stamps", "2"), ("cap", "once")]
            .map(|(name, text)| parameter(name, text, tick));
        assert_eq!(shown, ["timeout = 5 (100ms)", "words = 5", "domain = 2", "stamps = 2", "cap = once"]);
    }

    #[test]
    fn a_file_with_time_is_not_told_that_it_has_none() {
        let none = Assumptions::default();
        let told = resting("election", &none, &WorldTime::Dense(Timing::round_trip(1)));
        assert_eq!(told, "\nWhat rests on that: no property: election promises none that depends on time.\n");
        assert!(
            resting("election", &none, &WorldTime::Untimed).contains("without `time` nothing is assumed")
        );
    }
}
