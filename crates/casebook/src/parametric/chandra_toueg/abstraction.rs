//! From the set of ages to the oldest one. The abstraction goes along with everything that the exact buffer does, and
//! the exact buffer goes along with everything that the abstraction does except a reception that leaves messages
//! behind. Both are lists of obligations, a path each, with quantifiers over ages.

use super::{BufferAbstraction, DetectorModel, rounds};
use watchkeeper_prove::{
    Claim, Obligation, ObligationKind, Path, Reply, Simulation, SmtQuery, System, Term, TermSort, term,
};

/// How the ages and the oldest one belong together; `oldest` is what it is called.
fn relation(oldest: &str) -> Term {
    let text = format!(
        "({oldest} = -1 and (all x in 0 .. Delta: not x in buf)) or (0 <= {oldest} and {oldest} <= Delta and \
         {oldest} in buf and (all x in 0 .. Delta: x in buf => x <= {oldest}))"
    );
    term(&text).expect("the relation is a formula")
}

/// What is known of the exact buffer where the sender may crash: no message is younger than the last one sent.
/// These are inductive together.
pub fn freshness(exact: &System) -> Vec<Claim> {
    let texts = [
        ("fresh has its bounds", "0 <= fresh and fresh <= Delta"),
        ("no message is younger than the last", "all x in 0 .. Delta: x in buf => fresh <= x"),
    ];
    let known = texts.map(|(name, text)| exact.formula(text).map(|formula| Claim::new(name, formula)));
    known.into_iter().filter_map(Result::ok).collect()
}

/// That the oldest message simulates the exact buffer: two systems of the same model but for the buffer.
pub fn simulation<'a>(model: DetectorModel, exact: &'a System, oldest: &'a System) -> Simulation<'a> {
    let shared = exact.variables.iter().filter(|variable| variable.sort != TermSort::Set);
    let same =
        shared.map(|variable| Term::name(&variable.name).equals(Term::Name(format!("{}@b", variable.name))));
    let related = Term::and(same.chain([relation("age@b")]));
    let mut simulation =
        Simulation::new(exact, oldest, related).expect("the relation is over the names of both");
    for deed in model.deeds() {
        let (all, some) = (format!("round: {deed}, hear all"), format!("round: {deed}, hear some"));
        let stays = Reply::by(&some).choosing("stays", Term::name("age@b'"));
        simulation = simulation.replying(&some, [Reply::by(&all), stays]);
    }
    for claim in freshness(exact) {
        simulation = simulation.knowing(claim);
    }
    simulation
}

/// That the exact buffer goes along with every path of the abstraction but those that leave messages behind, and
/// that they begin together: so a run of the abstraction without these is one of the exact buffer.
pub fn exactness(model: DetectorModel) -> Vec<Obligation> {
    let exact = rounds(model.with_buffer(BufferAbstraction::Exact));
    let oldest = rounds(model.with_buffer(BufferAbstraction::Oldest));
    let answered = |ours: &[Path], theirs: &[Path]| -> Vec<Obligation> {
        let kept = ours.iter().filter(|path| !path.name.ends_with("hear some"));
        let pairs =
            kept.filter_map(|path| Some((path, theirs.iter().find(|other| other.name == path.name)?)));
        pairs.map(|(path, reply)| owed(&exact, path, reply, &under_way(ours, path))).collect()
    };
    let mut all = answered(&oldest.beginnings(), &exact.beginnings());
    all.extend(answered(&oldest.paths(), &exact.paths()));
    all
}

/// The age of the oldest message when the receiver's turn comes: what it is after the round in which the sender does
/// the same and the receiver nothing. `None` for a beginning.
fn under_way(paths: &[Path], path: &Path) -> Option<Term> {
    let (deed, _) = path.name.split_once(", ")?;
    let pause = paths.iter().find(|other| other.name == format!("{deed}, pause"))?;
    Some(pause.after("age"))
}

/// That a path of the exact buffer answers the path of the abstraction of the same name: what is taken is the oldest.
fn owed(exact: &System, path: &Path, reply: &Path, under_way: &Option<Term>) -> Obligation {
    let taken = |name: &str| if name == "taken" { under_way.clone() } else { None };
    let mut unknowns: Vec<(String, TermSort)> =
        exact.parameters.iter().map(|parameter| (parameter.name.clone(), TermSort::Number)).collect();
    let mut asserted = exact.assumptions.clone();
    if under_way.is_some() {
        unknowns.extend(exact.variables.iter().map(|variable| (variable.name.clone(), variable.sort)));
        unknowns.push(("age".to_string(), TermSort::Number));
        asserted.push(relation("age"));
    }
    unknowns.extend(reply.draws.iter().map(|draw| (draw.name.clone(), TermSort::Set)));
    asserted.extend(path.guard.iter().cloned());
    let after = relation("age")
        .replaced(&|name| if name == "age" { Some(path.after("age")) } else { Some(reply.after(name)) });
    let numbers = exact.variables.iter().filter(|variable| variable.sort != TermSort::Set);
    let same = numbers
        .map(|variable| reply.after(&variable.name).replaced(&taken).equals(path.after(&variable.name)));
    let guard = reply.guard.iter().map(|guard| guard.replaced(&taken));
    let goal = Term::and(guard.chain(same).chain([after]));
    asserted.push(goal.clone().negated());
    let name = format!("the exact buffer can do \"{}\"", path.name);
    Obligation {
        kind: ObligationKind::Lemma,
        goal: Claim { name: name.clone(), formula: goal },
        name,
        path: None,
        query: SmtQuery { unknowns, draws: reply.draws.clone(), asserted },
    }
}

impl DetectorModel {
    /// What the sender can do in a round.
    pub(super) fn deeds(self) -> &'static [&'static str] {
        if self.crash { &["send", "rest", "crash", "crashed"] } else { &["send", "rest"] }
    }
}
