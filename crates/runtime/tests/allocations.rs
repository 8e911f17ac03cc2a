//! After its start a node handles messages without allocating: counted by the allocator itself. The file is
//! a test of its own, because the allocator counts for the whole process.

#[path = "support/mod.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use support::{addresses, node};
use watchkeeper_core::{Bound, Effects, Input, Kind, Never, Pack, Pid, Protocol, Slot};
use watchkeeper_runtime::{Handle, Phase};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

#[allow(unsafe_code, reason = "an allocator cannot be written without; it only counts and passes on")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

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
    Idle,
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
        fx.arm(Timer::Idle, Bound::exactly(1));
        0
    }

    fn step(&self, me: Pid, caught: &mut u64, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg: Ball::Ball(number) } => {
                *caught += 1;
                let wait = 1 + fx.pick(2) as u32;
                fx.arm(Timer::Idle, Bound::exactly(wait));
                fx.reply(from, Ball::Ball(number + 1));
            }
            Input::Fire(Timer::Idle) => {
                // A lost ball is replaced.
                fx.send(Pid::at(1 - me.index()), Ball::Ball(0));
                fx.arm(Timer::Idle, Bound::exactly(1));
            }
            Input::Call(call) => match *call {},
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
        until(|| nodes.iter().all(|node| node.phase() == Phase::Running)).await;
        let warm = delivered(&nodes);
        until(|| delivered(&nodes) > warm + 5_000).await;
        let (allocations, messages) = (ALLOCATIONS.load(Relaxed), delivered(&nodes));
        until(|| delivered(&nodes) > messages + 50_000).await;
        let allocated = ALLOCATIONS.load(Relaxed) - allocations;
        let messages = delivered(&nodes) - messages;
        println!("{allocated} allocations in {messages} messages");
        assert_eq!(allocated, 0);
    });
}
