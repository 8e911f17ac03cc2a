//! Invariants that a person wrote, one for each theorem: they say why it is true. A search for an invariant does not
//! need them; they are what to fall back on, and what its findings can be compared with.

use super::{HeartbeatForm, HeartbeatQuestion};
use watchkeeper_protocols::heartbeat::HeartbeatVariant;

/// A conjunct: its name and its text.
type Conjunct = (&'static str, String);

/// The conjuncts of the invariant for a question, where a condition on the parameters holds.
pub(super) fn written(form: HeartbeatForm, question: HeartbeatQuestion, condition: &str) -> Vec<Conjunct> {
    let conjuncts = match question {
        HeartbeatQuestion::Slots => slots(form),
        HeartbeatQuestion::R1 => r1(form, condition),
        HeartbeatQuestion::R2 if form.variant.expects_joins() => {
            [quiet("member"), r2_of_members(form), strangers(form)].concat()
        }
        HeartbeatQuestion::R2 => [quiet("quiet"), r2(form)].concat(),
        HeartbeatQuestion::R3 => quiet("quiet"),
    };
    conjuncts.into_iter().map(|(name, text)| (name, text.replace("PATIENCE", form.patience()))).collect()
}

fn said<const N: usize>(conjuncts: [(&'static str, &str); N]) -> Vec<Conjunct> {
    conjuncts.into_iter().map(|(name, text)| (name, text.to_string())).collect()
}

fn slots(form: HeartbeatForm) -> Vec<Conjunct> {
    let mut all = said([
        ("a round is not over before its end", "0 <= round"),
        ("waits are long", "up0 => tmin <= wait"),
    ]);
    if form.corrected || form.overlaps() {
        all.extend(said([("an answer comes within the round", "up0 => trip <= round")]));
    } else {
        all.extend(said([
            ("an answer takes tmin", "trip <= tmin"),
            ("an answer comes within the wait", "up0 and trip >= 0 => wait - round + trip <= tmin"),
            ("who was heard is not asked", "up0 and not awaited => trip < 0"),
        ]));
    }
    if form.overlaps() {
        all.extend(said([
            ("an older beat is seen after the round began", "up0 and old_beat => tmin <= round"),
            ("an older answer is seen after the round began", "up0 and old_answer => tmin <= round"),
        ]));
    }
    if form.overlaps() && form.variant == HeartbeatVariant::Dynamic {
        all.extend(said([(
            "an older leave is seen after the round began",
            "up0 and old_leave => tmin <= round",
        )]));
    }
    if form.variant.expects_joins() {
        all.extend(said([("a request arrives before the next", "joining => request <= join")]));
        if form.overlaps() {
            all.extend(said([
                ("a second request is new", "joining and more => tmin <= join"),
                ("a second request stands behind one that is due", "more => request = 0"),
            ]));
        }
    }
    all
}

fn r1(form: HeartbeatForm, condition: &str) -> Vec<Conjunct> {
    let mut all = said([
        ("a round is not over before its end", "0 <= round"),
        ("rounds are short", "round <= tmax"),
        ("waits are not negative", "0 <= wait"),
        ("waits are short", "wait <= tmax"),
        ("a beat was heard in this round", "not awaited => silence + round <= tmax"),
    ]);
    if condition == "2*tmin <= tmax" {
        all.extend(said([
            ("who waits is up", "awaited => up0"),
            ("waits are long", "up0 => tmin <= wait"),
            ("each wait is half of the one before", "awaited => silence + round + wait <= 3*tmax"),
        ]));
    } else {
        all.extend(said([("a beat was heard in the round before", "awaited => silence + round <= 2*tmax")]));
    }
    if form.variant.expects_joins() {
        all.extend(said([
            ("only who is counted is awaited", "awaited => counted"),
            ("only who is counted is silent", "not counted => silence <= 0"),
        ]));
    }
    all
}

/// While all is quiet p0 hears p1 in every round.
fn quiet(quiet: &str) -> Vec<Conjunct> {
    let all = said([
        ("p0 is up while all is quiet", "QUIET => up0"),
        ("p1 is up while all is quiet", "QUIET => up1"),
        ("p0 does not hurry", "QUIET => tmax <= wait"),
        ("who is awaited was asked", "QUIET and awaited => 0 <= trip"),
        ("the answer comes within tmin of the round", "QUIET and trip >= 0 => trip - round <= tmin - tmax"),
    ]);
    all.into_iter().map(|(name, text)| (name, text.replace("QUIET", quiet))).collect()
}

/// Rounds and waits have an end.
fn rounds() -> Vec<Conjunct> {
    said([
        ("a round is not over before its end", "0 <= round"),
        ("rounds are short", "round <= tmax"),
        ("waits are not negative", "0 <= wait"),
        ("waits are short", "wait <= tmax"),
        ("a beat is on its way", "asked => 0 <= trip"),
    ])
}

/// While all is quiet p1 hears p0 in time.
fn r2(form: HeartbeatForm) -> Vec<Conjunct> {
    let mut all = rounds();
    all.extend(said([
        ("p1 is asked in time", "quiet and asked => PATIENCE - 2*tmax + round <= patience"),
        ("p1 can wait", "quiet and not asked => PATIENCE - tmax + round <= patience"),
    ]));
    if form.overlaps() {
        all.extend(said([
            ("no beat is older", "quiet => not old_beat"),
            ("no answer is older", "quiet => not old_answer"),
            ("who was heard is not asked", "quiet and trip >= 0 => awaited"),
        ]));
    }
    all
}

/// While all is quiet a participant that p0 has heard hears p0 in time.
fn r2_of_members(form: HeartbeatForm) -> Vec<Conjunct> {
    let mut all = rounds();
    // Who joins may have to wait for a whole round before p0 can answer it.
    let (asked, waiting) = if form.corrected { (3, 2) } else { (2, 1) };
    all.push((
        "p1 is asked in time",
        format!("member and asked => PATIENCE - {asked}*tmax + round <= patience"),
    ));
    all.push((
        "p1 can wait",
        format!("member and not asked => PATIENCE - {waiting}*tmax + round <= patience"),
    ));
    all.extend(said([("members are counted", "member => counted")]));
    if form.overlaps() {
        all.extend(said([("no beat is older", "member => not old_beat")]));
    }
    if form.variant == HeartbeatVariant::Dynamic {
        all.extend(said([
            ("a member stays", "member => not leaving"),
            ("a member does not say that it leaves", "member => not leaves"),
        ]));
        if form.overlaps() {
            all.extend(said([("nor did it", "member => not old_leave")]));
        }
    }
    all
}

/// While all is quiet a participant that p0 has never heard is heard in time.
fn strangers(form: HeartbeatForm) -> Vec<Conjunct> {
    let mut all = said([
        ("a stranger is no member", "stranger => not member"),
        ("p0 is up for a stranger", "stranger => up0"),
        ("a stranger is up", "stranger => up1"),
        ("a stranger joins", "stranger => joining"),
        ("a stranger is not counted", "stranger => not counted"),
        ("a stranger is not awaited", "stranger => not awaited"),
        ("nothing is on its way to a stranger", "stranger => trip < 0"),
        ("p0 does not hurry for a stranger", "stranger => tmax <= wait"),
        ("requests come in time", "stranger => 0 <= join"),
        ("a stranger has not asked yet", "stranger and request < 0 => PATIENCE - tmin <= patience - join"),
        (
            "or its first request is on its way",
            "stranger and request >= 0 => PATIENCE - 2*tmin <= patience - request",
        ),
        ("a request arrives before the next", "stranger => request <= join"),
    ]);
    if form.corrected {
        all.extend(said([
            ("a stranger in the first round", "stranger and not late => patience = PATIENCE - tmax + round"),
            ("a stranger in the second round", "stranger and late => patience = PATIENCE - 2*tmax + round"),
        ]));
    } else {
        all.extend(said([(
            "a stranger in the first round",
            "stranger => patience = PATIENCE - tmax + round",
        )]));
    }
    if form.variant == HeartbeatVariant::Dynamic {
        all.extend(said([
            ("a stranger does not leave", "stranger => not leaving"),
            ("nobody leaves yet", "stranger => not leaves"),
        ]));
    }
    if form.overlaps() {
        all.extend(said([
            ("no beat was sent to a stranger", "stranger => not old_beat"),
            ("no stranger has answered", "stranger => not old_answer"),
        ]));
        if form.variant == HeartbeatVariant::Dynamic {
            all.extend(said([("no stranger has left", "stranger => not old_leave")]));
        }
    }
    all
}
