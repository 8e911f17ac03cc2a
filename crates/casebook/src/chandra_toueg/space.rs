//! The model as a space: a row has the variables of the paper and the slots of the buffer, and a step is one
//! sub-round. Ids are the values themselves, so nothing is interned or shared while a search runs.

use super::ChandraTouegCase;
use super::action::{NAMES, SubRound, SubRoundAction};
use super::buffer::{BUFFER, Edits, EncodedBuffer};
use super::replay::replay;
use super::view::{PaperVariables, view};
use strum::VariantArray;
use watchkeeper_space::{
    Action, ActionLabel, ActionLabels, Atom, AtomId, DataAction, DataLabel, DataLabels, Edit, FixedIds, Id,
    Mismatch, Narration, Parts, Shape, Space, StatePath, Stuck, Successors, Trace, View, Vocabulary,
};

/// The next sub-round.
pub(super) const EPC: usize = 0;
/// How long the sender has not acted.
pub(super) const S_TIMER: usize = 1;
/// How long the receiver has not acted.
pub(super) const R_TIMER: usize = 2;
/// The task of the receiver: 0 is RNoSnd, 1 RRcv, 2 RComp.
pub(super) const RPC: usize = 3;
/// How long the receiver has waited.
pub(super) const WAITED: usize = 4;
/// How much longer the timeout is than at first.
pub(super) const GROWN: usize = 5;
/// Whether the sender is suspected.
pub(super) const SUSPECTED: usize = 6;
/// Whether the sender has crashed.
pub(super) const CRASHED: usize = 7;
/// The ghost counter hLFSC, plus one.
pub(super) const GHOST: usize = 8;

/// The tasks of the receiver, as ids of [`RPC`].
const NO_SEND: Id = 0;
const RECEIVE: Id = 1;
const COMPUTE: Id = 2;

/// No search gets as far as a counter of so much.
const FARTHEST: Id = 1 << 26;

/// The atoms, in their order.
const ATOMS: [&str; 5] = ["suspected", "trusted", "crashed", "correct", "suspected-in-time"];

/// The space of a [`ChandraTouegCase`].
pub struct SenderReceiver {
    case: ChandraTouegCase,
    buffer: EncodedBuffer,
    shape: Shape,
}

impl SenderReceiver {
    pub(super) fn new(case: ChandraTouegCase) -> SenderReceiver {
        let buffer = EncodedBuffer::new(&case);
        let slots = ["ePC", "sTimer", "rTimer", "rPC", "waitingTime", "timeout", "suspected", "sPC", "hLFSC"];
        // Without the ghost there is nothing that the last atom could speak of.
        let atoms = if case.ghost() { &ATOMS[..] } else { &ATOMS[..4] };
        let shape = Shape {
            slots: slots.map(String::from).into_iter().chain(buffer.slots()).collect(),
            classes: SubRoundAction::classes(case.crash()),
            atoms: atoms.iter().map(|name| Atom { name: name.to_string(), symmetric: true }).collect(),
            faults_are_progress: true,
            time: Some(SubRoundAction::Age.class()),
            assumptions: assumptions(&case),
            ..Shape::default()
        };
        SenderReceiver { case, buffer, shape }
    }

    /// The case that this is the space of.
    pub fn case(&self) -> &ChandraTouegCase {
        &self.case
    }

    fn timeout(&self, row: &[Id]) -> Id {
        self.case.timeout() + row[GROWN]
    }

    /// What happens when it is the turn of the receiver to wait one more.
    #[inline]
    fn wait(&self, row: &[Id], edits: &mut Edits) {
        if row[WAITED] < self.timeout(row) {
            edits.push(WAITED, row[WAITED] + 1);
        }
    }

    #[inline]
    fn schedule_sender(&self, row: &[Id], out: &mut Successors) {
        let on = Edit::new(EPC, SubRound::RSched as Id);
        if row[CRASHED] != 0 {
            return out.step(action(SubRoundAction::SenderRests), &[on]);
        }
        let timer = row[S_TIMER];
        // Two of three tasks of the sender are nothing, so only every third of its own steps counts.
        if timer >= 2 {
            out.step(action(SubRoundAction::SenderActs), &[on, Edit::new(S_TIMER, 0)]);
        }
        if timer < 3 * self.case.phi() - 1 {
            out.step(action(SubRoundAction::SenderRests), &[on, Edit::new(S_TIMER, timer + 1)]);
        }
    }

    #[inline]
    fn schedule_receiver(&self, row: &[Id], out: &mut Successors) {
        let on = Edit::new(EPC, SubRound::IncMsgAge as Id);
        let next = if row[RPC] == COMPUTE { NO_SEND } else { row[RPC] + 1 };
        out.step(action(SubRoundAction::ReceiverActs), &[on, Edit::new(R_TIMER, 0), Edit::new(RPC, next)]);
        let timer = row[R_TIMER];
        if timer < self.case.phi() - 1 {
            out.step(action(SubRoundAction::ReceiverRests), &[on, Edit::new(R_TIMER, timer + 1)]);
        }
    }

    #[inline]
    fn receive(&self, row: &[Id], edits: &mut Edits, out: &mut Successors) {
        if row[R_TIMER] != 0 || row[RPC] != RECEIVE {
            return out.step(action(SubRoundAction::NoReceive), edits.list());
        }
        let before = edits.len();
        edits.push(WAITED, 0);
        if row[SUSPECTED] != 0 {
            edits.push(SUSPECTED, 0);
            edits.push(GROWN, row[GROWN] + 1);
        }
        self.buffer.deliveries(row, edits, |stay, edits| {
            out.step(Action::new(SubRoundAction::Deliver.class(), stay.into()), edits.list());
        });
        edits.truncate(before);
        if !self.buffer.has_old(row) {
            self.wait(row, edits);
            out.step(action(SubRoundAction::Miss), edits.list());
        }
    }

    #[inline]
    fn compute(&self, row: &[Id], edits: &mut Edits, out: &mut Successors) {
        let taken = if row[R_TIMER] != 0 || row[RPC] != COMPUTE {
            SubRoundAction::NoCompute
        } else if row[WAITED] < self.timeout(row) {
            edits.push(WAITED, row[WAITED] + 1);
            SubRoundAction::Bide
        } else if row[SUSPECTED] == 0 {
            edits.push(SUSPECTED, 1);
            SubRoundAction::Suspect
        } else {
            SubRoundAction::StillSuspect
        };
        out.step(action(taken), edits.list());
    }

    #[inline]
    fn crash(&self, row: &[Id], edits: &mut Edits, out: &mut Successors) {
        if row[CRASHED] == 0 {
            let before = edits.len();
            edits.push(CRASHED, 1);
            edits.push(S_TIMER, 0);
            if self.case.ghost() {
                edits.push(GHOST, 1);
            }
            out.step(action(SubRoundAction::Crash), edits.list());
            edits.truncate(before);
        } else if self.case.ghost() && row[SUSPECTED] == 0 {
            edits.push(GHOST, row[GHOST] + 1);
        }
        out.step(action(SubRoundAction::NoCrash), edits.list());
    }
}

const fn action(action: SubRoundAction) -> Action {
    Action::new(action.class(), 0)
}

impl Space for SenderReceiver {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let mut row = vec![0; self.shape.slots.len()];
        if self.case.crash() {
            row[EPC] = SubRound::SCrash as Id;
            row[RPC] = NO_SEND;
        } else {
            row[EPC] = SubRound::SSched as Id;
            row[RPC] = COMPUTE;
        }
        vec![row]
    }

    #[inline]
    fn expand(&self, row: &[Id], out: &mut Successors) {
        let now = SubRound::VARIANTS[row[EPC] as usize];
        let then = match now {
            SubRound::SSched => return self.schedule_sender(row, out),
            SubRound::RSched => return self.schedule_receiver(row, out),
            SubRound::RComp if self.case.crash() => SubRound::SCrash,
            SubRound::RComp | SubRound::SCrash => SubRound::SSched,
            now => SubRound::VARIANTS[now as usize + 1],
        };
        let mut edits = Edits::new();
        edits.push(EPC, then as Id);
        match now {
            SubRound::IncMsgAge => {
                self.buffer.age(row, &mut edits);
                out.step(action(SubRoundAction::Age), edits.list());
            }
            SubRound::SSnd if row[S_TIMER] == 0 && row[CRASHED] == 0 => {
                self.buffer.send(row, &mut edits);
                out.step(action(SubRoundAction::Send), edits.list());
            }
            SubRound::SSnd => out.step(action(SubRoundAction::NoSend), edits.list()),
            SubRound::RNoSnd if row[R_TIMER] == 0 && row[RPC] == NO_SEND => {
                self.wait(row, &mut edits);
                out.step(action(SubRoundAction::Wait), edits.list());
            }
            SubRound::RNoSnd => out.step(action(SubRoundAction::NoWait), edits.list()),
            SubRound::RRcv => self.receive(row, &mut edits, out),
            SubRound::RComp => self.compute(row, &mut edits, out),
            SubRound::SSched | SubRound::RSched | SubRound::SCrash => self.crash(row, &mut edits, out),
        }
    }

    /// Never asked: in every sub-round something happens.
    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Deadlock
    }

    #[inline]
    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        match atom {
            0 => row[SUSPECTED] != 0,
            1 => row[SUSPECTED] == 0,
            2 => row[CRASHED] != 0,
            3 => row[CRASHED] == 0,
            _ => row[GHOST] <= 1 + self.case.overdue(self.timeout(row)),
        }
    }

    /// Ids are the same in every run, so they stand for the row.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        for &id in row {
            out.extend_from_slice(&id.to_be_bytes());
        }
    }

    /// The way to a suspicion leads through long waiting.
    fn guide(&self, row: &[Id]) -> u32 {
        row[WAITED]
    }

    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        Some(self)
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Parts for SenderReceiver {
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        FixedIds.part(table, slot, id, out);
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        let most = match slot {
            EPC => SubRound::VARIANTS.len() as Id - 1,
            S_TIMER => 3 * self.case.phi(),
            R_TIMER => self.case.phi(),
            RPC => COMPUTE,
            SUSPECTED | CRASHED => 1,
            WAITED | GROWN | GHOST => FARTHEST,
            _ => self.buffer.most(),
        };
        FixedIds::up_to(most, bytes).filter(|_| slot < self.shape.slots.len())
    }
}

impl Narration for SenderReceiver {
    fn view(&self, row: &[Id]) -> View {
        let ages = self.buffer.ages(row);
        let variables = PaperVariables {
            sub_round: SubRound::VARIANTS[row[EPC] as usize],
            s_timer: row[S_TIMER],
            r_timer: row[R_TIMER],
            task: [SubRound::RNoSnd, SubRound::RRcv, SubRound::RComp][row[RPC] as usize],
            ages: (0..=self.case.delta()).filter(|age| ages >> age & 1 != 0).collect(),
            waited: row[WAITED],
            timeout: self.timeout(row),
            suspected: row[SUSPECTED] != 0,
            crashed: row[CRASHED] != 0,
            since_crash: i64::from(row[GHOST]) - 1,
        };
        view(&self.case, &variables)
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        SubRoundAction::of(action.class())
            .map_or_else(|| "no step".to_string(), |action| action.label().to_string())
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        replay(&self.case, path)
    }
}

/// The environment schedules, and the processes act; what does not happen in a sub-round is an action as well, as in the paper.
impl DataLabels for SenderReceiver {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        let Some(taken) = SubRoundAction::of(action.class()) else { return DataLabel::TAU };
        let mut actions = vec![taken.deed()];
        if taken == SubRoundAction::Deliver && row[SUSPECTED] != 0 {
            actions.push(trust());
        }
        DataLabel { actions }
    }

    fn vocabulary(&self) -> Vocabulary {
        let sort = |argument: &String| {
            (if NAMES.contains(&argument.as_str()) { "Process" } else { "Message" }).to_string()
        };
        let there =
            SubRoundAction::VARIANTS.iter().take(self.shape.classes.len()).map(|action| action.deed());
        let mut actions: Vec<(String, Vec<String>)> = there
            .chain([trust()])
            .map(|DataAction { name, arguments }| (name, arguments.iter().map(sort).collect()))
            .collect();
        actions.sort();
        let sorts =
            [("Process", format!("struct {}", NAMES.join(" | "))), ("Message", "struct alive".to_string())];
        Vocabulary { sorts: sorts.map(|(name, definition)| (name.to_string(), definition)).to_vec(), actions }
    }

    fn any_of_several(&self) -> bool {
        true
    }
}

/// The receiver ends its suspicion.
fn trust() -> DataAction {
    DataAction::new("trust", [NAMES[1], NAMES[0]])
}

impl ActionLabels for SenderReceiver {
    fn action_label(&self, _: &[Id], action: Action) -> ActionLabel {
        SubRoundAction::of(action.class()).map(|taken| taken.action_label(action.code())).unwrap_or_default()
    }
}

fn assumptions(case: &ChandraTouegCase) -> Vec<String> {
    let (delta, phi, timeout) = (case.delta(), case.phi(), case.timeout());
    let crash = match (case.crash(), case.ghost()) {
        (false, _) => "nobody crashes",
        (true, false) => "the sender may crash at the beginning of any global step",
        (true, true) => {
            "the sender may crash at the beginning of any global step, and hLFSC counts the steps since then"
        }
    };
    let buffer = match case.encoding {
        super::Encoding::Predicate => "a predicate over ages",
        super::Encoding::Counter => "a number whose bit k is age k",
    };
    vec![
        format!(
            "The model is the sender and the receiver of Tran, Konnov and Widder (sections 7 to 9), one step for \
             each sub-round; {crash}."
        ),
        format!(
            "The bounds hold from the start: a message of age {delta} or more is received with the next \
             reception, and each process acts at least once in {phi} global steps."
        ),
        "The sender sends in every third of its own steps; the receiver waits, receives and computes in turn."
            .to_string(),
        format!(
            "The first timeout is {timeout}, in steps of the receiver; it grows by 1 whenever a suspicion turns \
             out wrong."
        ),
        format!("The messages under way are {buffer}; of several old ones the model keeps one."),
    ]
}

const _: () = assert!(GHOST + 1 == BUFFER);
