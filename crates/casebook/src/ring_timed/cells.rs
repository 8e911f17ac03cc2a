//! The claims of the thesis, each on a choice of what it leaves open, with the answer that was found before.
//! Steps and states are of a breadth-first search and the same in every run; a search never reads them.

use super::{ClockReading, DeltaGrowth, MessageOrder, RingTimedCase, TimedQuestion, TimedVariant};
use crate::ring::Crash;
use crate::table::TableAnswer;
use watchkeeper_world::Simultaneous;

/// One claim on one case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedClaim {
    /// What is asked.
    pub asked: TimedQuestion,
    /// Of which case.
    pub case: RingTimedCase,
    /// Whether the thesis reports that the claim holds.
    pub reported: bool,
    /// The answer that was found before.
    pub expected: TableAnswer,
    /// The states that were found before: of the whole space, or up to the failure.
    pub states: u64,
    /// Whether the search takes more than a few seconds.
    pub heavy: bool,
}

impl TimedClaim {
    const fn new(
        asked: TimedQuestion,
        case: RingTimedCase,
        reported: bool,
        expected: TableAnswer,
        states: u64,
    ) -> TimedClaim {
        TimedClaim { asked, case, reported, expected, states, heavy: false }
    }
}

/// All claims, figure by figure.
pub fn cells() -> Vec<TimedClaim> {
    let mut all = in_any_order();
    all.extend(in_order_of_sending(ClockReading::EveryResend, &RESENT));
    all.extend(in_order_of_sending(ClockReading::OldestUnanswered, &OLDEST));
    all.extend(stuck());
    all.extend(figure_6_14());
    all.extend(figure_6_15());
    all.extend(figure_6_16());
    all
}

fn case(
    variant: TimedVariant,
    order: MessageOrder,
    capacity: u32,
    max_delta: u32,
    clock: ClockReading,
) -> RingTimedCase {
    RingTimedCase::new(variant, order, capacity, max_delta, clock)
        .expect("the cases of the table are possible")
}

/// Fails after this many steps, or holds after none.
const fn after(steps: usize) -> TableAnswer {
    if steps == 0 { TableAnswer::Holds } else { TableAnswer::Fails { steps } }
}

const ADAPTIVE: [TimedVariant; 3] =
    [TimedVariant::WeakAccuracy, TimedVariant::StrongAccuracy, TimedVariant::StrongCompleteness];

/// Figure 6.13 as published, for both bounds and both readings of the clock: always after 29 steps.
fn in_any_order() -> Vec<TimedClaim> {
    let states: [[u64; 4]; 3] = [
        [13_119, 13_671, 21_841, 26_381],
        [13_907, 14_319, 23_876, 27_790],
        [18_458, 18_872, 32_854, 37_307],
    ];
    let mut cells = Vec::new();
    for (variant, states) in ADAPTIVE.into_iter().zip(states) {
        let choices = [2, 3].into_iter().flat_map(|max_delta| {
            [ClockReading::EveryResend, ClockReading::OldestUnanswered].map(|clock| (max_delta, clock))
        });
        for ((max_delta, clock), states) in choices.zip(states) {
            let case = case(variant, MessageOrder::Any, 1, max_delta, clock);
            cells.push(TimedClaim::new(TimedQuestion::MutualBlock, case, false, after(29), states));
        }
    }
    cells
}

/// For each variant and maxDelta 2 and 3: the steps to the block of figure 6.13 and the states of the search
/// with room for 1, 2, 3 and 4 messages.
type Blocks = [[[(usize, u64); 4]; 2]; 3];

const RESENT: Blocks = [
    [
        [(47, 20_014), (65, 70_568), (101, 329_192), (137, 1_285_088)],
        [(47, 46_656), (65, 202_392), (103, 894_631), (141, 2_995_141)],
    ],
    [
        [(47, 21_456), (65, 58_772), (101, 219_490), (137, 744_710)],
        [(47, 65_189), (65, 271_392), (103, 719_954), (141, 1_655_557)],
    ],
    [
        [(47, 26_966), (65, 76_426), (101, 265_311), (137, 904_956)],
        [(47, 82_189), (65, 351_204), (103, 883_000), (141, 1_991_137)],
    ],
];

const OLDEST: Blocks = [
    [
        [(47, 17_704), (0, 49_553), (0, 55_390), (0, 56_228)],
        [(47, 48_991), (105, 307_122), (0, 474_934), (0, 520_285)],
    ],
    [
        [(47, 19_315), (0, 30_287), (0, 30_984), (0, 31_020)],
        [(47, 65_331), (0, 219_808), (0, 234_878), (0, 236_011)],
    ],
    [
        [(47, 24_745), (0, 38_204), (0, 38_941), (0, 38_977)],
        [(47, 82_551), (0, 266_240), (0, 283_224), (0, 284_429)],
    ],
];

/// Figure 6.13 again, where the thesis says that queues remove the block.
fn in_order_of_sending(clock: ClockReading, blocks: &Blocks) -> Vec<TimedClaim> {
    let mut cells = Vec::new();
    for (variant, of_variant) in ADAPTIVE.into_iter().zip(blocks) {
        for (max_delta, of_bound) in [2, 3].into_iter().zip(of_variant) {
            for (capacity, &(steps, states)) in (1..).zip(of_bound) {
                let case = case(variant, MessageOrder::Fifo, capacity, max_delta, clock);
                let cell = TimedClaim::new(TimedQuestion::MutualBlock, case, true, after(steps), states);
                let first = (variant, max_delta) == (TimedVariant::WeakAccuracy, 2);
                let heavy = clock == ClockReading::EveryResend && capacity == 4 && !first;
                cells.push(TimedClaim { heavy, ..cell });
            }
        }
    }
    cells
}

/// What the block comes to: a state that nothing leaves. For each variant and maxDelta 2 and 3, published
/// channels with the clock as drawn, and queues long enough with the other reading.
fn stuck() -> Vec<TimedClaim> {
    let known: [[(usize, u64, u64); 2]; 3] = [
        [(29, 13_119, 55_390), (29, 21_841, 474_934)],
        [(30, 15_619, 30_984), (30, 27_325, 234_878)],
        [(30, 20_654, 38_941), (30, 37_712, 283_224)],
    ];
    let mut cells = Vec::new();
    for (variant, known) in ADAPTIVE.into_iter().zip(known) {
        for (max_delta, (steps, before, whole)) in [2, 3].into_iter().zip(known) {
            let drawn = case(variant, MessageOrder::Any, 1, max_delta, ClockReading::EveryResend);
            cells.push(TimedClaim::new(
                TimedQuestion::Deadlock,
                drawn,
                false,
                TableAnswer::Timelock { steps },
                before,
            ));
            let queues = case(variant, MessageOrder::Fifo, 3, max_delta, ClockReading::OldestUnanswered);
            cells.push(TimedClaim::new(TimedQuestion::Deadlock, queues, true, TableAnswer::Holds, whole));
        }
    }
    cells
}

/// The queues on which the monitors are examined, as in the thesis: one choice for each reading of the clock,
/// and both bounds.
const QUEUES: [(u32, ClockReading, u32); 4] = [
    (2, ClockReading::EveryResend, 2),
    (2, ClockReading::EveryResend, 3),
    (3, ClockReading::OldestUnanswered, 2),
    (3, ClockReading::OldestUnanswered, 3),
];

fn on_queues(variant: TimedVariant) -> impl Iterator<Item = RingTimedCase> {
    QUEUES.into_iter().map(move |(capacity, clock, max_delta)| {
        case(variant, MessageOrder::Fifo, capacity, max_delta, clock)
    })
}

fn figure_6_14() -> Vec<TimedClaim> {
    let drawn = [(8, 136), (21, 4678), (8, 136), (21, 4868)];
    let anew = [(21, 3033), (36, 28_601), (22, 3606), (37, 37_692)];
    let due_first = [94_508, 474_561, 19_110, 188_222];
    let mut cells = Vec::new();
    for (i, case) in on_queues(TimedVariant::WeakAccuracy).enumerate() {
        let (steps, states) = drawn[i];
        cells.push(TimedClaim::new(TimedQuestion::WeakAccuracy, case, true, after(steps), states));
        let (steps, states) = anew[i];
        cells.push(TimedClaim::new(TimedQuestion::NewSuspicion, case, true, after(steps), states));
        let case = RingTimedCase { simultaneous: Simultaneous::DeliveriesFirst, ..case };
        cells.push(TimedClaim::new(
            TimedQuestion::NewSuspicion,
            case,
            true,
            TableAnswer::Holds,
            due_first[i],
        ));
    }
    cells
}

fn figure_6_15() -> Vec<TimedClaim> {
    let capped = [196_994, 646_599, 30_984, 234_878];
    let free = [(17, 1773), (32, 22_848), (18, 2090), (33, 28_915)];
    let due_first = [20_168, 312_921, 18_870, 132_310];
    let mut cells = Vec::new();
    for (i, case) in on_queues(TimedVariant::StrongAccuracy).enumerate() {
        cells.push(TimedClaim::new(
            TimedQuestion::StrongAccuracy,
            case,
            true,
            TableAnswer::Vacuous,
            capped[i],
        ));
        let case = RingTimedCase { growth: DeltaGrowth::PastMaxDelta, ..case };
        let (steps, states) = free[i];
        cells.push(TimedClaim::new(TimedQuestion::StrongAccuracy, case, true, after(steps), states));
        let case = RingTimedCase { simultaneous: Simultaneous::DeliveriesFirst, ..case };
        cells.push(TimedClaim::new(
            TimedQuestion::StrongAccuracy,
            case,
            true,
            TableAnswer::Holds,
            due_first[i],
        ));
    }
    cells
}

/// With p1 dead from the start the spaces are whole; with a crash at any time they are only searched up to
/// the failure, and only for the smaller bound.
fn figure_6_16() -> Vec<TimedClaim> {
    let whole = [231_750, 777_642, 38_941, 283_224];
    let crashing = [Some((16, 105_238)), None, Some((16, 105_253)), None];
    let mut cells = Vec::new();
    for (i, case) in on_queues(TimedVariant::StrongCompleteness).enumerate() {
        cells.push(TimedClaim::new(
            TimedQuestion::StrongCompleteness,
            case,
            true,
            TableAnswer::Vacuous,
            whole[i],
        ));
        cells.push(TimedClaim::new(TimedQuestion::NeverInG, case, false, TableAnswer::Holds, whole[i]));
        if let Some((steps, states)) = crashing[i] {
            let case = RingTimedCase { crash: Crash::AnyTime, ..case };
            cells.push(TimedClaim::new(TimedQuestion::StrongCompleteness, case, true, after(steps), states));
        }
    }
    cells
}
