//! After its start a node handles messages without allocating: counted by the allocator itself, on the one thread
//! that everything runs on.

#![allow(clippy::print_stdout, reason = "the figures are for whoever runs it")]

#[path = "support/counting.rs"]
mod counting;
mod support;

use support::{addresses, node};
use watchkeeper_core::{Bound, Effects, Input, Kind, Never, Pack, Pid, Protocol, Slot};
use watchkeeper_runtime::{Handle, NodePhase};

/// Two processes that throw a ball to each other, re-arm a timer with each throw, and now and then let it
/// fire.
struct Throwing;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Ball {
    #[kind("ball")]
    Ball(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Timer {
    Idle { whom: Pid, long: bool },
}

/// The timer for the other process.
fn idle(me: Pid, long: bool) -> Timer {
    Timer::Idle { whom: me.succ(2), long }
}

impl Protocol for Throwing {
    type State = u64;
    type Msg = Ball;
    type Timer = Timer;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> u64 {
        if me.index() == 0 {
            fx.send(Pid::at(1), Ball::Ball(1));
        }
        fx.arm(idle(me, false), Bound::exactly(1));
        0
    }

    fn step(&self, me: Pid, caught: &mut u64, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg: Ball::Ball(number) } => {
                *caught += 1;
                let wait = 1 + fx.pick(2) as u32;
                fx.disarm(idle(me, wait == 1));
                fx.arm(idle(me, wait == 2), Bound::exactly(wait));
                fx.reply(from, Ball::Ball(number + 1));
            }
            Input::Fire(Timer::Idle { whom, .. }) => {
                // A lost ball is replaced.
                fx.send(whom, Ball::Ball(0));
                fx.arm(idle(me, false), Bound::exactly(1));
            }
            Input::Call(call) => match *call {},
            Input::Notice(_) => {}
        }
    }
}

fn delivered(nodes: &[Handle<Throwing>]) -> u64 {
    nodes.iter().map(|node| node.counters().delivered.get()).sum()
}

/// Waits without allocating, by yielding.
async fn until(mut is: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + support::DEADLINE;
    while !is() {
        assert!(std::time::Instant::now() < deadline, "waited too long");
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_message_costs_no_allocation() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let all = addresses(2);
        let mut nodes = Vec::new();
        for me in 0..2 {
            nodes.push(node(Throwing, me, &all).spawn().await.expect("a node"));
        }
        until(|| nodes.iter().all(|node| node.phase() == NodePhase::Running)).await;
        let warm = delivered(&nodes);
        until(|| delivered(&nodes) > warm + 5_000).await;
        let (allocations, messages) = (counting::allocations(), delivered(&nodes));
        until(|| delivered(&nodes) > messages + 50_000).await;
        let allocated = counting::allocations() - allocations;
        let messages = delivered(&nodes) - messages;
        println!("{allocated} allocations in {messages} messages");
        assert_eq!(allocated, 0);
    });
}
