//! The heartbeat protocols as parametric systems: p0, one participant p1, and what is on its way between them, with
//! the ghosts that one question needs. Here is what they consist of and how they begin; what they do is in `steps`.

use super::{HeartbeatForm, HeartbeatQuestion};
use watchkeeper_protocols::heartbeat::HeartbeatVariant;
use watchkeeper_prove::{ParsedStatement, System, assign};

/// The system of a form of a protocol, with the ghosts of a question.
///
/// # Panics
///
/// Never: tests build every one.
pub fn system(form: HeartbeatForm, question: HeartbeatQuestion) -> System {
    let draft = HeartbeatDraft { form, question };
    let system = draft.declared();
    let system = draft.with_rounds(system.initially(draft.beginning()));
    let system = draft.with_participant(system);
    let system = draft.with_answers(system);
    let system = draft.with_faults(system);
    system.step("time passes", draft.time()).finished().expect("a system that is well formed")
}

/// What the steps of a system depend on.
pub(super) struct HeartbeatDraft {
    pub(super) form: HeartbeatForm,
    pub(super) question: HeartbeatQuestion,
}

impl HeartbeatDraft {
    pub(super) fn joins(&self) -> bool {
        self.form.variant.expects_joins()
    }

    pub(super) fn dynamic(&self) -> bool {
        self.form.variant == HeartbeatVariant::Dynamic
    }

    /// Whether p1 is one of any number of participants.
    pub(super) fn among_others(&self) -> bool {
        self.form.variant == HeartbeatVariant::Static
    }

    /// Whether a message can still be on its way when the next one of its kind is sent.
    pub(super) fn overlaps(&self) -> bool {
        self.form.overlaps()
    }

    /// Whether there is a ghost of this name.
    pub(super) fn has(&self, ghost: &str) -> bool {
        let judged = matches!(self.question, HeartbeatQuestion::R2 | HeartbeatQuestion::R3);
        match ghost {
            "wrong" => judged,
            "quiet" => judged && !self.has("stranger"),
            "silence" => self.question == HeartbeatQuestion::R1,
            "crowded" => self.question == HeartbeatQuestion::Slots,
            // What R2 says of a participant that joins differs before and after p0 has heard of it.
            "stranger" | "member" => self.question == HeartbeatQuestion::R2 && self.joins(),
            "late" => self.has("stranger") && self.form.corrected,
            _ => false,
        }
    }

    /// An observation, if there is a ghost to make it.
    pub(super) fn noted(&self, ghost: &str, value: &str) -> Vec<ParsedStatement> {
        if self.has(ghost) { vec![assign(ghost, value)] } else { Vec::new() }
    }

    /// A variable gets a value, if there is such a variable.
    pub(super) fn only(&self, condition: bool, variable: &str, value: &str) -> Vec<ParsedStatement> {
        if condition { vec![assign(variable, value)] } else { Vec::new() }
    }

    fn declared(&self) -> System {
        let mut system = System::new(&self.form.to_string())
            .parameter("tmin", "the shortest round of p0, and the most that a message and its answer take")
            .parameter("tmax", "the longest round of p0")
            .assuming("1 <= tmin and tmin <= tmax")
            .flag("up0", "p0 has neither crashed nor stopped")
            .flag("up1", "p1 has neither crashed nor stopped")
            .flag("awaited", "p0 counts p1 and has not heard it in this round")
            .flag("asked", "what is on its way is a beat of p0, and not the answer to one")
            .number("wait", 0, "how long p0 waits for p1")
            .number("round", 0, "what is left of the round of p0")
            .number("patience", 0, "what is left of the patience of p1")
            .number(
                "trip",
                -1,
                "what is left of the time of a beat and its answer; -1 if none is on its way",
            );
        if self.joins() {
            system = system
                .flag("joining", "p1 has not yet heard of p0")
                .flag("counted", "p0 counts p1")
                .number("join", 0, "when p1 next asks to join")
                .number("request", -1, "what is left of the time of a request to join; -1 if there is none");
        }
        if self.dynamic() {
            system = system
                .flag("leaving", "p1 has decided to leave")
                .flag("leaves", "the answer on its way says that p1 leaves");
        }
        if self.overlaps() {
            system = system
                .flag("old_beat", "a beat that must arrive now, when there is a newer one")
                .flag("old_answer", "an answer that must arrive now, when there is a newer beat");
            if self.joins() {
                system = system.flag("more", "a request has just been sent while another must arrive now");
            }
            if self.dynamic() {
                system = system.flag("old_leave", "as `old_answer`, and it says that p1 leaves");
            }
        }
        for (ghost, meaning) in [
            ("quiet", "nobody is down and nothing was lost"),
            ("wrong", "somebody was stopped by its timer while all was quiet"),
            ("stranger", "all is quiet and p0 has never heard p1"),
            ("member", "all is quiet, p0 has heard p1 and p1 has not decided to leave"),
            ("late", "the first round of p0 is over"),
            ("crowded", "there was no room for a message"),
        ] {
            if self.has(ghost) {
                system = system.flag(ghost, meaning).ghost();
            }
        }
        if self.has("silence") {
            system = system.number("silence", 0, "how long p0 has counted p1 and not heard it").ghost();
        }
        for note in self.form.notes() {
            system = system.resting_on(&note);
        }
        system
    }

    fn beginning(&self) -> Vec<ParsedStatement> {
        let revised = self.form.variant == HeartbeatVariant::Revised;
        let mut block = vec![
            assign("up0", "true"),
            assign("up1", "true"),
            assign("awaited", if revised { "true" } else { "false" }),
            assign("asked", if revised { "true" } else { "false" }),
            assign("wait", "tmax"),
            assign("round", "tmax"),
            assign("patience", self.form.patience()),
            assign("trip", if revised { "tmin" } else { "-1" }),
        ];
        if self.joins() {
            block.extend([assign("joining", "true"), assign("counted", "false")]);
            block.extend([assign("join", "tmin"), assign("request", "-1")]);
        }
        for (when, flags) in [
            (self.dynamic(), vec!["leaving", "leaves"]),
            (self.overlaps(), vec!["old_beat", "old_answer"]),
            (self.overlaps() && self.joins(), vec!["more"]),
            (self.overlaps() && self.dynamic(), vec!["old_leave"]),
        ] {
            block.extend(flags.into_iter().filter(|_| when).map(|flag| assign(flag, "false")));
        }
        for (ghost, value) in [
            ("quiet", "true"),
            ("stranger", "true"),
            ("member", "false"),
            ("wrong", "false"),
            ("late", "false"),
            ("crowded", "false"),
            ("silence", "0"),
        ] {
            block.extend(self.noted(ghost, value));
        }
        block
    }

    /// Nothing is blamed on the protocol from now on.
    pub(super) fn noise(&self) -> Vec<ParsedStatement> {
        ["quiet", "stranger", "member"].into_iter().flat_map(|ghost| self.noted(ghost, "false")).collect()
    }

    /// p0 is down: what it remembers does not matter any more.
    pub(super) fn down0(&self) -> Vec<ParsedStatement> {
        let mut block = self.noise();
        block.extend([assign("up0", "false"), assign("awaited", "false")]);
        block.extend([assign("wait", "0"), assign("round", "0")]);
        block.extend(self.only(self.joins(), "counted", "false"));
        block.extend(self.noted("silence", "0"));
        block
    }

    /// p1 is down.
    pub(super) fn down1(&self) -> Vec<ParsedStatement> {
        let mut block = self.noise();
        block.extend([assign("up1", "false"), assign("patience", "0")]);
        block.extend(self.only(self.joins(), "joining", "false"));
        block.extend(self.only(self.joins(), "join", "0"));
        block.extend(self.only(self.dynamic(), "leaving", "false"));
        block
    }
}
