//! A member of the register. Start one for each address, in shells of their own, type numbers, and stop one member to see
//! the others go on:
//!
//! ```text
//! register 0 127.0.0.1:7100 127.0.0.1:7101 127.0.0.1:7102
//! register 1 127.0.0.1:7100 127.0.0.1:7101 127.0.0.1:7102
//! register 2 127.0.0.1:7100 127.0.0.1:7101 127.0.0.1:7102
//! ```
//!
//! The key is in the variable `REGISTER_KEY`: 64 hexadecimal digits, the same for all.

use register::{Ask, agreement, written};
use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use watchkeeper_core::Pid;
use watchkeeper_protocols::stack::Layer;
use watchkeeper_runtime::NodeBuilder;
use watchkeeper_runtime::wire::{KeyId, KeyRing};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut args = std::env::args().skip(1);
    let me = args.next().and_then(|text| text.parse().ok()).and_then(Pid::new);
    let me = me.ok_or("usage: register ME ADDRESS ADDRESS ...")?;
    let members = args.map(|text| text.parse()).collect::<Result<Vec<SocketAddr>, _>>()?;
    let n = members.len();
    let bind = *members.get(me.index()).ok_or("ME is not one of the addresses")?;
    let key = std::env::var("REGISTER_KEY").map_err(|_| "REGISTER_KEY is not set")?.parse()?;

    let node = NodeBuilder::new(agreement(n)?, me, bind)
        .peers(Pid::all(n).zip(members).filter(|(peer, _)| *peer != me))
        .cluster("register")
        .keys(KeyRing::new((KeyId(1), key)))
        .tick(Duration::from_millis(20))
        .gather(Duration::from_secs(10))
        .spawn()
        .await?;
    let mut events = node.events();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let (mut typing, mut count) = (true, 0);
    loop {
        tokio::select! {
            event = events.next() => {
                let Some(event) = event else { return Ok(()) };
                if let Some(write) = written(&event) {
                    count += 1;
                    // If nobody listens any more, that is no reason to stop.
                    let _ = writeln!(std::io::stdout(), "{count}: {} writes {}", write.author, write.value);
                }
            }
            line = lines.next_line(), if typing => match line? {
                None => typing = false,
                // What is no number is not written.
                Some(line) => if let Ok(value) = line.trim().parse() {
                    node.call(Layer::Above(Ask::Write(value))).await?;
                },
            },
        }
    }
}
