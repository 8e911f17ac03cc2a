//! A service whose members agree on nothing but who is up: each thinks that the first member it does not
//! suspect leads. Start one for each address, in shells of their own, and stop one to see the others move on:
//!
//! ```text
//! lookout 0 127.0.0.1:7100 127.0.0.1:7101 127.0.0.1:7102
//! lookout 1 127.0.0.1:7100 127.0.0.1:7101 127.0.0.1:7102
//! lookout 2 127.0.0.1:7100 127.0.0.1:7101 127.0.0.1:7102
//! ```
//!
//! The key is in the variable `LOOKOUT_KEY`: 64 hexadecimal digits, the same for all.

use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{MemberSet, Pid};
use watchkeeper_protocols::ring::{Ring, RingError, StrongCompleteness, TimeoutAdaptation};
use watchkeeper_runtime::{
    Assumption, Assumptions, CheckedProperty, KeyId, KeyRing, NodeBuilder, NodeEventKind,
};

/// One unit of time.
const TICK: Duration = Duration::from_millis(100);

/// The longest that a message takes, in units of time.
const DELAY: u32 = 1;

/// The detector: this value is what the test below checks, and what `main` runs.
fn detector(n: usize) -> Result<Ring<StrongCompleteness>, RingError> {
    Ring::with_policy(StrongCompleteness::new(TimeoutAdaptation::Fixed), n, 5)
}

/// What the verdict of the check rests on; the node tells when it no longer holds.
fn assumptions() -> Assumptions {
    let properties = vec![CheckedProperty::new("only the dead are passed over", Assumption::ALL)];
    Assumptions { delay: Some(DELAY), lossless: true, properties, ..Assumptions::default() }
}

/// Who leads, in the eyes of a member that suspects these.
fn leader(n: usize, suspects: &MemberSet) -> Option<Pid> {
    Pid::all(n).find(|member| !suspects.contains(*member))
}

/// All that this service does.
fn say(line: &str) {
    // If nobody listens any more, that is no reason to stop.
    let _ = writeln!(std::io::stdout(), "{line}");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let me = args.next().and_then(|text| text.parse().ok()).and_then(Pid::new);
    let me = me.ok_or("usage: lookout ME ADDRESS ADDRESS ...")?;
    let members = args.map(|text| text.parse()).collect::<Result<Vec<SocketAddr>, _>>()?;
    let n = members.len();
    let bind = *members.get(me.index()).ok_or("ME is not one of the addresses")?;
    let key = std::env::var("LOOKOUT_KEY").map_err(|_| "LOOKOUT_KEY is not set")?.parse()?;

    let node = NodeBuilder::new(detector(n)?, me, bind)
        .peers(Pid::all(n).zip(members).filter(|(peer, _)| *peer != me))
        .cluster("lookout")
        .keys(KeyRing::new((KeyId(1), key)))
        .assume(assumptions())
        .gather(Duration::from_secs(10))
        .tick(TICK);
    let node = node.spawn().await?;
    let mut events = node.events();
    let mut led_by = None;
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(event) => if let NodeEventKind::Broken(breach) = event.kind {
                    say(&format!("{me}: careful, {breach}"));
                },
                None => return Ok(()),
            },
            _ = tokio::signal::ctrl_c() => {
                node.leave().await;
                return Ok(());
            }
        }
        let leads = leader(n, &node.suspects());
        if leads != led_by {
            led_by = leads;
            say(&format!("{me}: {} leads", leads.map_or("nobody".to_string(), |leader| leader.to_string())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper::{Channel, PropertySpec, TimeModel};
    use watchkeeper_core::Bound;

    /// The same value as in `main`, under the bound on delays that `main` assumes.
    #[test]
    fn only_the_dead_are_passed_over() {
        let check = watchkeeper::check(detector(3).expect("a detector")).n(3).crashes(1);
        let timed = check.time(TimeModel::Dense).delay(Bound::within(DELAY)).channel(Channel::Drop(2));
        timed.property(PropertySpec::Accuracy { of: None }).assert_holds();
    }

    #[test]
    fn the_page_about_the_library_quotes_this_program() {
        let program = include_str!("main.rs").split("\n#[cfg(test)]").next().expect("a program");
        let (_, program) = program.split_once("\n\n").expect("a comment before it");
        let page = include_str!("../../../docs/library.md");
        assert!(
            page.contains(program.trim_end()),
            "copy this file into docs/library.md, without its first comment"
        );
    }

    #[test]
    fn the_first_that_is_not_suspected_leads() {
        assert_eq!(leader(3, &MemberSet::new()), Some(Pid::at(0)));
        assert_eq!(leader(3, &[Pid::at(0)].into_iter().collect()), Some(Pid::at(1)));
        assert_eq!(leader(2, &Pid::all(2).collect()), None);
    }
}
