//! The line as a dataflow. The rounds of the search are its timestamps: what a worker sends in a round carries it, the
//! exchange brings it to its receiver, and the round has ended when the frontier of the dataflow has passed it at all workers.

use crate::packet::Packet;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::Allocator;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange as ByReceiver;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle, Scope};
use timely::worker::Worker;
use watchkeeper_explore::{Exchange, Receive};

/// The longest that a worker sleeps when it waits for others. They wake it earlier, whenever something arrives.
const NAP: Duration = Duration::from_millis(100);

/// An output without content.
type Silent = CapacityContainerBuilder<Vec<()>>;

/// What has arrived, with its round.
type Arrived = Rc<RefCell<VecDeque<(u64, Packet)>>>;

/// The line of one worker to the others.
pub struct DataflowLine {
    worker: Worker,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<Packet>>>,
    probe: ProbeHandle<u64>,
    arrived: Arrived,
    round: u64,
}

impl DataflowLine {
    /// The line over what timely calls an allocator; all workers make theirs alike.
    pub(crate) fn new(allocator: Allocator) -> DataflowLine {
        let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        let (mut input, probe, arrived) = (InputHandle::new(), ProbeHandle::new(), Arrived::default());
        worker.dataflow(|scope: Scope<'_, u64>| {
            let pact = ByReceiver::new(|packet: &Packet| packet.to);
            let inbox = Rc::clone(&arrived);
            // Nothing goes on from here but the progress of the rounds.
            let received = scope.input_from(&mut input).unary::<Silent, _, _, _>(pact, "receive", |_, _| {
                move |input, _| {
                    input.for_each(|time, packets| {
                        let round = *time.time();
                        inbox.borrow_mut().extend(packets.drain(..).map(|packet| (round, packet)));
                    });
                }
            });
            received.probe_with(&probe);
        });
        DataflowLine { worker, input, probe, arrived, round: 0 }
    }

    /// Ends the dataflow, when all workers do: nobody sends any more.
    pub(crate) fn close(self) {
        let DataflowLine { mut worker, input, .. } = self;
        drop(input);
        while worker.has_dataflows() {
            worker.step_or_park(Some(NAP));
        }
    }

    /// Gives out what has arrived of this round. Others may be a round ahead.
    fn give(&mut self, receive: Receive<'_>) {
        let mut ahead = VecDeque::new();
        loop {
            let Some((round, packet)) = self.arrived.borrow_mut().pop_front() else { break };
            match round == self.round {
                true => receive(packet.from as usize, packet.bytes),
                false => ahead.push_back((round, packet)),
            }
        }
        self.arrived.borrow_mut().extend(ahead);
    }
}

impl Exchange for DataflowLine {
    fn index(&self) -> usize {
        self.worker.index()
    }

    fn workers(&self) -> usize {
        self.worker.peers()
    }

    fn send(&mut self, to: usize, bytes: Vec<u8>) {
        self.input.send(Packet { to: to as u64, from: self.worker.index() as u64, bytes });
        self.input.flush();
        self.worker.step();
    }

    fn poll(&mut self, receive: Receive<'_>) {
        self.worker.step();
        self.give(receive);
    }

    fn finish_round(&mut self, receive: Receive<'_>) {
        self.input.advance_to(self.round + 1);
        self.input.flush();
        while self.probe.less_than(&(self.round + 1)) {
            self.worker.step_or_park(Some(NAP));
            self.give(receive);
        }
        self.give(receive);
        self.round += 1;
    }
}
