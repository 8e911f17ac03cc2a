//! `/metrics`: what a node counts and measures, in the text format 0.0.4 of Prometheus. Every family has its help and
//! its type, and every label value comes from a closed set or is escaped.

use super::grouped::GroupCounts;
use super::view::EndpointView;
use std::fmt::Write;
use std::time::Duration;
use watchkeeper_runtime::wire::DatagramRefusal;
use watchkeeper_runtime::{
    Assumption, Count, Counters, HISTOGRAM_CLASSES, Histogram, LATENESS_CLASSES, NodePhase, PeerCounters,
    PeerStatus, Status,
};

const PHASES: [NodePhase; 6] = [
    NodePhase::Gathering,
    NodePhase::Running,
    NodePhase::Stopped,
    NodePhase::Leaving,
    NodePhase::Ended,
    NodePhase::Joining,
];

/// All metrics. What only the node itself knows is left out if it does not answer.
pub(super) fn text(view: &EndpointView, status: Option<&Status>) -> String {
    let mut page = Page::default();
    let labels = [
        ("version", env!("CARGO_PKG_VERSION")),
        ("protocol", view.protocol),
        ("process", &view.process),
        ("cluster", &view.cluster),
    ];
    page.family("build_info", "gauge", "Which node this is; always 1.").row(&labels, 1.0);
    let now = view.phase();
    page.family("phase", "gauge", "1 for what the node is doing, 0 for everything else.");
    for phase in PHASES {
        page.row(&[("phase", phase.name())], f64::from(u8::from(phase == now)));
    }
    assumed(&mut page, view);
    counted(&mut page, view.counters());
    late(&mut page, view.counters());
    measured(&mut page, view.counters());
    if let Some(grouped) = &view.announcements.grouped {
        told(&mut page, &grouped.counts());
    }
    if let Some(status) = status {
        page.family("uptime_seconds", "gauge", "How long the node has been up.");
        page.row(&[], status.uptime.as_secs_f64());
        page.family("worst_lateness_seconds", "gauge", "The latest that the node was in the last minute.");
        page.row(&[], status.worst_late.as_secs_f64());
        page.family("suspects", "gauge", "How many peers are suspected.");
        page.row(&[], status.suspects.len() as f64);
        page.family("effective_timeout_seconds", "gauge", "For how long each timer was last armed.");
        for (timer, lasts) in &status.timeouts {
            page.row(&[("timer", timer)], lasts.as_secs_f64());
        }
        peers(&mut page, &status.peers);
    }
    page.0
}

fn told(page: &mut Page, counts: &GroupCounts) {
    page.family("view_members", "gauge", "How many members the view has.").row(&[], counts.members as f64);
    page.family("views_total", "counter", "Views that were announced.").row(&[], counts.views as f64);
    page.family("words_delivered_total", "counter", "Words of members that were delivered.");
    page.row(&[], counts.words as f64);
    page.family("words_refused_total", "counter", "Messages of the group that were refused, by reason.");
    for (reason, count) in &counts.refused {
        page.row(&[("reason", reason)], *count as f64);
    }
}

fn assumed(page: &mut Page, view: &EndpointView) {
    page.family("tick_seconds", "gauge", "How long one unit of the protocol's time lasts.");
    page.row(&[], view.tick.as_secs_f64());
    let about =
        "The longest that is assumed: of a message, of a message and its answer, of a step that is due.";
    page.family("assumed_seconds", "gauge", about);
    let ticks = |ticks: Option<u32>| ticks.map(|ticks| view.tick * ticks);
    for (assumption, bound) in [
        (Assumption::Delay, ticks(view.assumptions.delay)),
        (Assumption::RoundTrip, ticks(view.assumptions.round_trip)),
        (Assumption::Speed, Some(view.lateness)),
    ] {
        if let Some(bound) = bound {
            page.row(&[("assumption", assumption.name())], bound.as_secs_f64());
        }
    }
}

fn counted(page: &mut Page, counters: &Counters) {
    let plain = [
        ("datagrams_received_total", "Datagrams that arrived, whatever became of them.", &counters.received),
        ("messages_delivered_total", "Messages that were handed to the protocol.", &counters.delivered),
        ("greetings_total", "Greetings and farewells of peers.", &counters.greetings),
        ("datagrams_sent_total", "Datagrams that were sent.", &counters.sent),
        (
            "messages_unsent_total",
            "Messages that were not sent because their peer had not been found yet.",
            &counters.unsent,
        ),
        ("send_errors_total", "Datagrams that the system did not take.", &counters.send_errors),
        ("receive_errors_total", "Errors of the system on receiving.", &counters.receive_errors),
        ("steps_total", "Steps of the protocol.", &counters.steps),
        ("timers_fired_total", "Timers that fired.", &counters.fired),
        ("stalls_total", "How often the node was stopped or starved.", &counters.stalls),
        ("suspicions_total", "Suspicions begun.", &counters.suspicions),
        ("suspicions_withdrawn_total", "Suspicions withdrawn.", &counters.withdrawn),
        ("clock_jumps_total", "How often the wall clock was set.", &counters.clock_jumps),
    ];
    for (name, help, count) in plain {
        page.family(name, "counter", help).row(&[], count.get() as f64);
    }
    page.family("stalled_seconds_total", "counter", "For how long the node was stopped or starved in all.");
    page.row(&[], counters.stalled.get() as f64 / 1e9);
    page.family("datagrams_refused_total", "counter", "Datagrams that were refused, by reason.");
    for &refusal in DatagramRefusal::ALL {
        page.row(&[("reason", refusal.name())], counters.refused(refusal) as f64);
    }
    let about = "How often something that a verdict rests on was found not to hold.";
    page.family("assumption_breaches_total", "counter", about);
    for (assumption, count) in Assumption::ALL.iter().zip(&counters.breaches) {
        page.row(&[("assumption", assumption.name())], count.get() as f64);
    }
}

/// How late timers fired.
fn late(page: &mut Page, counters: &Counters) {
    const NAME: &str = "timer_lateness_seconds";
    page.family(NAME, "histogram", "How late timers fired.");
    histogram(page, NAME, &[], &LATENESS_CLASSES, &counters.lateness, &counters.lateness_sum);
}

/// What was measured of each peer while it ran.
fn measured(page: &mut Page, counters: &Counters) {
    type Measured = fn(&PeerCounters) -> &Histogram;
    let arrival = "How long after one message of this peer the next was delivered.";
    let trip = "How long messages to this peer and its answers took.";
    let both: [(&str, &str, Measured); 2] = [
        ("interarrival_seconds", arrival, |peer| &peer.interarrival),
        ("round_trip_seconds", trip, |peer| &peer.round_trip),
    ];
    for (name, about, of) in both {
        page.family(name, "histogram", about);
        for peer in &counters.peers() {
            let (name_of_peer, Histogram { classes, sum, .. }) = (peer.peer.to_string(), of(peer));
            histogram(page, name, &[("peer", &name_of_peer)], &HISTOGRAM_CLASSES, classes, sum);
        }
    }
}

/// The rows of a histogram. The classes are read once, so that its rows agree with each other.
fn histogram(
    page: &mut Page,
    name: &str,
    labels: &[(&str, &str)],
    ends: &[u64],
    classes: &[Count],
    sum: &Count,
) {
    let mut below = 0;
    for (i, count) in classes.iter().enumerate() {
        below += count.get();
        let end = ends.get(i).map_or("+Inf".to_string(), |end| (*end as f64 / 1e9).to_string());
        page.named(&format!("{name}_bucket"), &[labels, &[("le", &end)]].concat(), below as f64);
    }
    page.named(&format!("{name}_sum"), labels, sum.get() as f64 / 1e9);
    page.named(&format!("{name}_count"), labels, below as f64);
}

fn peers(page: &mut Page, peers: &[PeerStatus]) {
    type Measure = fn(&PeerStatus) -> Option<f64>;
    let flag = |page: &mut Page, name, help, measure: Measure, kind| {
        page.family(name, kind, help);
        for peer in peers {
            if let Some(value) = measure(peer) {
                page.row(&[("peer", &peer.peer.to_string())], value);
            }
        }
    };
    let gauge = "gauge";
    if peers.iter().any(|peer| peer.name.is_some()) {
        page.family("member_info", gauge, "Who the members of an open cluster are; always 1.");
        for peer in peers {
            let (number, name) = (peer.peer.to_string(), peer.name.as_deref().unwrap_or_default());
            let address = peer.address.map_or(String::new(), |address| address.to_string());
            page.row(&[("peer", &number), ("name", name), ("address", &address)], 1.0);
        }
    }
    flag(page, "peer_suspected", "1 if this peer is suspected.", |p| truth(p.suspected.is_some()), gauge);
    flag(page, "peer_found", "1 if this peer was found.", |p| truth(p.found), gauge);
    flag(page, "peer_left", "1 if this peer has said that it leaves.", |p| truth(p.left), gauge);
    let heard = "How long ago a message of this peer was heard.";
    flag(page, "peer_heard_seconds", heard, |p| p.heard.map(|(_, ago)| ago.as_secs_f64()), gauge);
    let delay = "The longest that a message of this peer took, as far as can be told without a common clock.";
    flag(page, "peer_worst_delay_seconds", delay, |p| p.worst_delay.map(|d| d.as_secs_f64()), gauge);
    let lost = "Messages of this peer that were lost.";
    flag(page, "peer_lost_total", lost, |p| Some(p.lost as f64), "counter");
    let overtaken = "Messages of this peer that later ones overtook.";
    flag(page, "peer_overtaken_total", overtaken, |p| Some(p.overtaken as f64), "counter");
    page.family("peer_round_trip_seconds", gauge, "Round trips to this peer: the last, the least, the most.");
    for peer in peers {
        let name = peer.peer.to_string();
        for (which, time) in ["last", "least", "most"].iter().zip(peer.round_trip.iter().flatten()) {
            page.row(&[("peer", &name), ("which", which)], Duration::as_secs_f64(time));
        }
    }
}

fn truth(yes: bool) -> Option<f64> {
    Some(f64::from(u8::from(yes)))
}

/// A page of metrics that is being written.
#[derive(Default)]
struct Page(String, String);

impl Page {
    /// Begins a family.
    fn family(&mut self, name: &str, kind: &str, help: &str) -> &mut Page {
        self.1 = name.to_string();
        // Writing to a string cannot fail.
        let _ = write!(self.0, "# HELP watchkeeper_{name} {help}\n# TYPE watchkeeper_{name} {kind}\n");
        self
    }

    /// A row of the family.
    fn row(&mut self, labels: &[(&str, &str)], value: f64) {
        let name = self.1.clone();
        self.named(&name, labels, value);
    }

    /// A row with a name of its own.
    fn named(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "watchkeeper_{name}{labels} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_escaped_labels_and_plain_numbers() {
        let mut page = Page::default();
        page.family("x_total", "counter", "Some.").row(&[("a", "q\"\\\n"), ("b", "c")], 1e9);
        page.row(&[], 0.0001);
        assert_eq!(
            page.0,
            "# HELP watchkeeper_x_total Some.\n# TYPE watchkeeper_x_total counter\n\
             watchkeeper_x_total{a=\"q\\\"\\\\\\n\",b=\"c\"} 1000000000\nwatchkeeper_x_total 0.0001\n"
        );
    }

    #[test]
    fn the_classes_of_lateness_are_cumulative_and_end_in_infinity() {
        let mut page = Page::default();
        late(&mut page, &Counters::default());
        let rows: Vec<&str> = page.0.lines().filter(|line| line.contains("_bucket")).collect();
        assert_eq!(rows.len(), LATENESS_CLASSES.len() + 1);
        assert_eq!(rows[0], "watchkeeper_timer_lateness_seconds_bucket{le=\"0.0001\"} 0");
        assert_eq!(rows[9], "watchkeeper_timer_lateness_seconds_bucket{le=\"+Inf\"} 0");
    }
}
