//! A service with the detector in it: it prints who is down and who is up. The arguments are the number of this process
//! and the addresses of all processes; the variable `SENTINEL_KEY` has the key.

use sentinel::Sentinel;
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{Kind, MAX_PROCESSES, Pid};
use watchkeeper_runtime::{
    Assumption, Assumptions, CheckedProperty, KeyId, KeyRing, NodeBuilder, NodeEventKind,
};

/// The length of one tick.
const TICK: Duration = Duration::from_millis(100);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let me = args.next().and_then(|text| text.parse().ok()).and_then(Pid::new);
    let me = me.ok_or("usage: sentinel ME ADDRESS ADDRESS ...")?;
    let members = args.map(|text| text.parse()).collect::<Result<Vec<SocketAddr>, _>>()?;
    let n = members.len();
    if n > MAX_PROCESSES {
        return Err(format!("{n} addresses are too many; the most are {MAX_PROCESSES}").into());
    }
    let bind = *members.get(me.index()).ok_or("ME is not one of the addresses")?;
    let key = std::env::var("SENTINEL_KEY").map_err(|_| "SENTINEL_KEY is not set")?.parse()?;

    let node = NodeBuilder::new(Sentinel::new(n), me, bind)
        .peers(Pid::all(n).zip(members).filter(|(peer, _)| *peer != me))
        .cluster("sentinel")
        .keys(KeyRing::new((KeyId(1), key)))
        .tick(TICK)
        .gather(Duration::from_secs(10))
        .assume(Assumptions {
            delay: Some(Sentinel::DELAY),
            lossless: true,
            properties: vec![CheckedProperty::new("accuracy", Assumption::ALL)],
            ..Assumptions::default()
        })
        .spawn()
        .await?;

    let mut events = node.events();
    loop {
        tokio::select! {
            event = events.next() => match event.map(|event| event.kind) {
                Some(NodeEventKind::Announced { output, .. }) => say(&format!("{me}: {}", output.label())),
                Some(NodeEventKind::Broken(breach)) => say(&format!("{me}: careful, {breach}")),
                Some(_) => {}
                None => return Ok(()),
            },
            _ = tokio::signal::ctrl_c() => {
                node.leave().await;
                return Ok(());
            }
        }
    }
}

/// Prints a line. A reader that has gone away is no reason to stop.
fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}
