//! The crate `foca` with its configuration for local networks, in a loop over a heap of events.

use crate::{Counted, DELAY, LOSS, Load};
use foca::{Config, Foca, Member, NoCustomBroadcast, Notification, PostcardCodec, Runtime, Timer};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::num::NonZeroU32;
use std::time::Duration;

type Node = Foca<SocketAddrV4, PostcardCodec, SmallRng, NoCustomBroadcast>;

/// What lies ahead, in slots that are used again.
enum Upcoming {
    Data(Vec<u8>),
    Timer(Timer<SocketAddrV4>),
}

/// The heap, by time and then by the order in which events were put down.
#[derive(Default)]
struct Agenda {
    now: u64,
    count: u64,
    heap: BinaryHeap<Reverse<(u64, u64, u32, u32)>>,
    slots: Vec<Option<Upcoming>>,
    free: Vec<u32>,
}

impl Agenda {
    fn put(&mut self, at: u64, whom: u32, what: Upcoming) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = Some(what);
        self.heap.push(Reverse((at, self.count, whom, slot)));
        self.count += 1;
    }
}

struct Loop<'a> {
    agenda: &'a mut Agenda,
    random: &'a mut SmallRng,
    mistakes: &'a mut u64,
    me: u32,
}

fn address(number: u32) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::from_bits(0x0a00_0000 + number), 7000)
}

impl Runtime<SocketAddrV4> for Loop<'_> {
    fn notify(&mut self, notification: Notification<'_, SocketAddrV4>) {
        if let Notification::MemberDown(_) = notification {
            *self.mistakes += 1;
        }
    }

    fn send_to(&mut self, to: SocketAddrV4, data: &[u8]) {
        if !self.random.random_bool(LOSS) {
            let at = self.agenda.now + self.random.random_range(DELAY..=3 * DELAY);
            self.agenda.put(at, to.ip().to_bits() - 0x0a00_0000, Upcoming::Data(data.to_vec()));
        }
    }

    fn submit_after(&mut self, event: Timer<SocketAddrV4>, after: Duration) {
        let at = self.agenda.now + after.as_nanos() as u64;
        self.agenda.put(at, self.me, Upcoming::Timer(event));
    }
}

/// Simulates it.
pub fn run(load: &Load) -> Counted {
    let n = NonZeroU32::new(load.n as u32).unwrap_or(NonZeroU32::MIN);
    // A member that is held for dead is told so, as in this project; tables are not exchanged.
    let config = Config { periodic_announce: None, ..Config::new_lan(n) };
    let (mut agenda, mut random, mut mistakes) = (Agenda::default(), SmallRng::seed_from_u64(1), 0);
    let mut nodes: Vec<Node> = (0..n.get())
        .map(|me| {
            Foca::new(address(me), config.clone(), SmallRng::seed_from_u64(u64::from(me)), PostcardCodec)
        })
        .collect();
    for (me, node) in nodes.iter_mut().enumerate() {
        // They do not all begin at one moment.
        agenda.now = random.random_range(0..1_000_000_000);
        let looped =
            Loop { agenda: &mut agenda, random: &mut random, mistakes: &mut mistakes, me: me as u32 };
        let others = (0..n.get()).map(|other| Member::alive(address(other)));
        if let Err(why) = node.apply_many(others, false, looped) {
            eprintln!("foca does not take its members: {why}");
        }
    }
    let (mut events, end) = (0, load.seconds * 1_000_000_000);
    while let Some(Reverse((at, _, whom, slot))) = agenda.heap.pop().filter(|Reverse((at, ..))| *at <= end) {
        agenda.now = at;
        agenda.free.push(slot);
        let Some(what) = agenda.slots[slot as usize].take() else { continue };
        events += 1;
        let node = &mut nodes[whom as usize];
        let looped = Loop { agenda: &mut agenda, random: &mut random, mistakes: &mut mistakes, me: whom };
        // What a node refuses, such as data of a member that it holds for dead, is refused in a run, too.
        let _ = match what {
            Upcoming::Data(data) => node.handle_data(&data, looped),
            Upcoming::Timer(timer) => node.handle_timer(timer, looped),
        };
    }
    Counted { events, mistakes }
}
