//! The steps of the heartbeat protocols. Each is a step of the deployable protocol in its environment, and none may
//! be left out: a message that has no room overwrites another, and that this never happens is a question of its own.

use super::HeartbeatQuestion;
use super::system::HeartbeatDraft;
use watchkeeper_protocols::heartbeat::HeartbeatVariant;
use watchkeeper_prove::{ParsedStatement, System, assign, assume, choose, either};

/// Whether the beat or answer that is on its way must arrive at this moment.
const DUE: &str = "trip = 0";

impl HeartbeatDraft {
    /// A message that is older than the newest of its kind is on its way.
    fn older(&self) -> &'static str {
        match (self.overlaps(), self.dynamic()) {
            (false, _) => "false",
            (true, false) => "(old_beat or old_answer)",
            (true, true) => "(old_beat or old_answer or old_leave)",
        }
    }

    /// Of what falls on one moment, due deliveries come before timeouts in the corrected forms.
    fn timeout(&self, condition: &str) -> Vec<ParsedStatement> {
        let mut block = vec![assume(condition)];
        if self.form.corrected {
            block.push(assume(&format!("not {DUE}")));
            block.extend(self.joins().then(|| assume("not request = 0")));
        }
        block
    }

    /// p0 sends a beat.
    fn beat(&self) -> ParsedStatement {
        let mut sent = vec![assign("asked", "true"), assign("trip", "tmin")];
        sent.extend(self.only(self.dynamic(), "leaves", "false"));
        let free = [vec![assume("trip < 0")], sent.clone()].concat();
        let crowded = |condition: String| {
            [vec![assume(&condition)], self.noted("crowded", "true"), sent.clone()].concat()
        };
        if !self.overlaps() {
            return either([("", free), ("without room", crowded("trip >= 0".to_string()))]);
        }
        let older = self.older();
        let leaves = if self.dynamic() { "leaves" } else { "false" };
        let mut behind = vec![
            assume(&format!("{DUE} and not {older}")),
            assign("old_beat", "asked"),
            assign("old_answer", &format!("not asked and not {leaves}")),
        ];
        behind.extend(self.only(self.dynamic(), "old_leave", "not asked and leaves"));
        behind.extend(sent.clone());
        let full = crowded(format!("trip > 0 or {DUE} and {older}"));
        either([("", free), ("behind one that is due", behind), ("without room", full)])
    }

    /// The next round of p0. Other participants that are silent make it shorter than p1 alone would.
    fn round(&self) -> Vec<ParsedStatement> {
        if !self.among_others() {
            return vec![assign("round", "wait")];
        }
        let mut hurried = self.elsewhere();
        hurried.extend([
            choose("least", "tmin", "wait"),
            assume("2*least <= tmax"),
            assign("round", "least"),
        ]);
        vec![either([("", vec![assign("round", "wait")]), ("hurried by others", hurried)])]
    }

    /// Only where something may be wrong with another participant.
    fn elsewhere(&self) -> Vec<ParsedStatement> {
        if self.has("quiet") { vec![assume("not quiet")] } else { Vec::new() }
    }

    /// With what p0 does at the end of a round.
    pub(super) fn with_rounds(&self, system: System) -> System {
        let over = || [self.timeout("up0 and round = 0"), self.noted("late", "true")].concat();
        let heard = if self.joins() { "counted and not awaited" } else { "not awaited" };
        let heard =
            [over(), vec![assume(heard), assign("awaited", "true"), self.beat()], self.round()].concat();
        let mut silent = [over(), vec![assume("awaited and wait >= 2*tmin")]].concat();
        if self.among_others() {
            // Of many participants no one may make the rounds of the others shorter while all is quiet.
            silent.extend(self.wronged(HeartbeatQuestion::R3));
        }
        match self.form.variant {
            HeartbeatVariant::TwoPhase => silent.push(assign("wait", "tmin")),
            _ => silent.extend([
                choose("half", "tmin", "tmax"),
                assume("2*half <= wait and wait <= 2*half + 1"),
                assign("wait", "half"),
            ]),
        }
        silent.push(self.beat());
        silent.extend(self.round());
        let stop = [
            over(),
            vec![assume("awaited and wait < 2*tmin")],
            self.wronged(HeartbeatQuestion::R3),
            self.down0(),
        ];
        let mut system = system
            .step("p0 begins a round", heard)
            .step("p0 has not heard p1 and begins a shorter round", silent)
            .step("p0 has not heard p1 and stops", stop.concat());
        if self.joins() {
            let nobody = [over(), vec![assume("not counted")], self.round()].concat();
            system = system.step("p0 counts nobody and begins a round", nobody);
        }
        if self.among_others() {
            let stop = [over(), self.elsewhere(), self.down0()].concat();
            system = system
                .step("something fails elsewhere", self.noise())
                .step("p0 stops because of others", stop);
        }
        system
    }

    /// A timer stops the process that a requirement is about.
    fn wronged(&self, about: HeartbeatQuestion) -> Vec<ParsedStatement> {
        let quiet = if self.has("quiet") { "quiet" } else { "stranger or member" };
        if self.question == about { vec![assign("wrong", &format!("wrong or {quiet}"))] } else { Vec::new() }
    }

    /// With what p1 does.
    pub(super) fn with_participant(&self, system: System) -> System {
        let staying = if self.dynamic() { "up1 and not leaving" } else { "up1" };
        let give_up = [
            self.timeout(&format!("{staying} and patience = 0")),
            self.wronged(HeartbeatQuestion::R2),
            self.down1(),
        ];
        let mut system = system.step("p1 gives up", give_up.concat());
        if self.joins() {
            let mut ask = self.timeout("joining and join = 0");
            ask.push(assign("join", "tmin"));
            let free = vec![assume("request < 0"), assign("request", "tmin")];
            let full = |condition: &str| [vec![assume(condition)], self.noted("crowded", "true")].concat();
            ask.push(match self.overlaps() {
                false => either([("", free), ("without room", full("request >= 0"))]),
                true => {
                    let behind = vec![assume("request = 0 and not more"), assign("more", "true")];
                    let full = full("request > 0 or request = 0 and more");
                    either([("", free), ("behind one that is due", behind), ("without room", full)])
                }
            });
            system = system.step("p1 asks to join", ask);
        }
        if self.dynamic() {
            let mut leave = vec![
                assume("up1 and not joining and not leaving"),
                assign("leaving", "true"),
                assign("patience", self.form.patience()),
            ];
            leave.extend(self.noted("member", "false"));
            system = system.step("p1 decides to leave", leave);
        }
        for (beat, suffix) in self.slots(["asked", "old_beat"]) {
            let (answer, leaves) = match suffix {
                "" => (Vec::new(), self.only(self.dynamic(), "leaves", "true")),
                _ => (vec![assign("old_answer", "true")], self.only(self.dynamic(), "old_leave", "true")),
            };
            let mut answered = vec![assume(&format!("{beat} and {staying}")), assign(beat, "false")];
            answered.extend(answer);
            answered.push(assign("patience", self.form.patience()));
            answered.extend(self.only(self.joins(), "joining", "false"));
            answered.extend(self.only(self.joins(), "join", "0"));
            system = system.step(&format!("p1 answers a beat{suffix}"), answered);
            if self.dynamic() {
                let told = vec![assume(&format!("{beat} and leaving")), assign(beat, "false")];
                system = system.step(&format!("p1 answers that it leaves{suffix}"), [told, leaves].concat());
            }
            let mut ignored = vec![assume(&format!("{beat} and not up1"))];
            ignored.extend(self.gone(beat));
            system = system.step(&format!("a beat finds p1 down{suffix}"), ignored);
        }
        system
    }

    /// Where a message of a kind can be: the newest, and if they overlap one that is due.
    fn slots<'a>(&self, names: [&'a str; 2]) -> Vec<(&'a str, &'static str)> {
        let [newest, older] = names;
        let mut slots = vec![(newest, "")];
        slots.extend(self.overlaps().then_some((older, ", the older one")));
        slots
    }

    /// What was on its way in this slot no longer is.
    fn gone(&self, slot: &str) -> Vec<ParsedStatement> {
        match slot {
            "request" if self.overlaps() => {
                vec![assign("request", "if more then tmin else -1"), assign("more", "false")]
            }
            "request" => vec![assign("request", "-1")],
            slot if slot.starts_with("old") || slot == "more" => vec![assign(slot, "false")],
            _ => {
                let mut block = vec![assign("trip", "-1"), assign("asked", "false")];
                block.extend(self.only(self.dynamic(), "leaves", "false"));
                block
            }
        }
    }

    /// With what p0 makes of messages.
    pub(super) fn with_answers(&self, mut system: System) -> System {
        let heard = || {
            let mut block = vec![assume("up0"), assign("awaited", "false"), assign("wait", "tmax")];
            block.extend(self.only(self.joins(), "counted", "true"));
            block.extend(self.noted("silence", "0"));
            block.extend(self.noted("member", "member or stranger"));
            block.extend(self.noted("stranger", "false"));
            block
        };
        let mut arrivals = Vec::new();
        let answer =
            if self.dynamic() { "trip >= 0 and not asked and not leaves" } else { "trip >= 0 and not asked" };
        for (slot, suffix) in self.slots(["trip", "old_answer"]) {
            arrivals.push((
                "an answer",
                suffix,
                slot,
                if suffix.is_empty() { answer } else { slot },
                heard(),
            ));
        }
        if self.joins() {
            arrivals.push(("a request", "", "request", "request >= 0", heard()));
            if self.overlaps() {
                arrivals.push(("a request", ", the newer one", "more", "more", heard()));
            }
        }
        if self.dynamic() {
            for (slot, suffix) in self.slots(["leaves", "old_leave"]) {
                let mut dismissed = vec![assume("up0"), assign("awaited", "false"), assign("wait", "tmax")];
                dismissed.push(assign("counted", "false"));
                dismissed.extend(self.noted("silence", "0"));
                arrivals.push(("that p1 leaves", suffix, slot, slot, dismissed));
            }
        }
        for (what, suffix, slot, there, taken) in arrivals {
            let arrived = || [vec![assume(there)], self.gone(slot)].concat();
            let ignored = [arrived(), vec![assume("not up0")]].concat();
            system = system
                .step(&format!("p0 hears {what}{suffix}"), [arrived(), taken].concat())
                .step(&format!("{what} finds p0 down{suffix}"), ignored);
        }
        system
    }

    /// With crashes and losses.
    pub(super) fn with_faults(&self, system: System) -> System {
        let mut lost = vec![("trip", "trip >= 0", "a beat or its answer is lost")];
        if self.overlaps() {
            lost.push(("old_beat", "old_beat", "a beat is lost, the older one"));
            lost.push(("old_answer", "old_answer", "an answer is lost, the older one"));
        }
        if self.overlaps() && self.dynamic() {
            lost.push(("old_leave", "old_leave", "an answer that p1 leaves is lost, the older one"));
        }
        if self.joins() {
            lost.push(("request", "request >= 0", "a request is lost"));
        }
        if self.overlaps() && self.joins() {
            lost.push(("more", "more", "a request is lost, the newer one"));
        }
        let mut system = system
            .step("p0 crashes", [vec![assume("up0")], self.down0()].concat())
            .step("p1 crashes", [vec![assume("up1")], self.down1()].concat());
        for (slot, there, name) in lost {
            let block = [vec![assume(there)], self.gone(slot), self.noise()].concat();
            system = system.step(name, block);
        }
        system
    }

    /// Time passes as far as every obligation has room.
    pub(super) fn time(&self) -> Vec<ParsedStatement> {
        let staying = if self.dynamic() { "up1 and not leaving" } else { "up1" };
        let mut clocks = vec![("round", "up0"), ("patience", staying), ("trip", "trip >= 0")];
        if self.joins() {
            clocks.extend([("join", "joining"), ("request", "request >= 0")]);
        }
        // No longer than the first timer that is surely armed: what takes longer takes several steps.
        let most = format!("if up0 then round else if {staying} then patience else tmin");
        let mut block = vec![choose("by", "0", &most), assume(&format!("{} => by <= 0", self.older()))];
        block.extend(clocks.iter().skip(1).map(|(clock, runs)| assume(&format!("{runs} => by <= {clock}"))));
        let ran = |(clock, runs): &(&str, &str)| {
            assign(clock, &format!("if {runs} then {clock} - by else {clock}"))
        };
        block.extend(clocks.iter().map(ran));
        let counts = if self.joins() { "up0 and counted" } else { "up0" };
        block.extend(self.noted("silence", &format!("if {counts} then silence + by else silence")));
        block
    }
}
