//! What the arguments of `prove` ask for: which claims about which subject, changed as the flags say. Flags that do not
//! go together are refused here, before a solver is started.

use super::ProveArgs;
use super::runs::small_points;
use super::words::{assumption, claims, formula, told};
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::parametric::ProofSubject;
use watchkeeper_prove::{Claim, ProofGoal, System, SystemInstance, Theorem};

/// The depth of an engine that needs one, where nobody gives it.
const DEPTH: usize = 8;

/// The greatest depth that can be asked for.
const DEEPEST: usize = 1000;

/// The means of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Engine {
    /// Candidates from templates, sifted.
    Templates,
    /// Z3's engine for Horn clauses.
    Spacer,
    /// Induction over several steps.
    KInduction(usize),
    /// Runs of so many steps, with all parameters open.
    Bounded(usize),
}

/// What is asked.
#[derive(Clone, Debug)]
pub(super) struct ProofRequest {
    pub(super) subject: ProofSubject,
    pub(super) cases: Vec<ProofGoal>,
    /// Whether the claims are about broken forms of the subject.
    pub(super) broken: bool,
    /// The invariant to be checked, if one is given.
    pub(super) invariant: Option<Vec<Claim>>,
    pub(super) engine: Engine,
}

impl ProofRequest {
    /// What the arguments ask of one of these subjects.
    pub(super) fn of(
        args: &ProveArgs,
        name: &str,
        subjects: Vec<ProofSubject>,
    ) -> Result<ProofRequest, Problem> {
        let subject = found(name, subjects)?;
        fitting(args)?;
        let engine = engine(args)?;
        let mut cases = named(args, &subject)?;
        if let Some(text) = &args.property {
            cases = vec![own(&cases, text)?];
        }
        for case in &mut cases {
            narrow(case, &args.assume)?;
            if let ProofGoal::Holds(theorem) = case {
                // Induction over several steps is there to do without what others wrote.
                if matches!(engine, Engine::KInduction(_)) {
                    theorem.lemmas.clear();
                }
                theorem.lemmas.extend(claims(&theorem.system, "--lemma", &args.lemma)?);
            }
        }
        let invariant = match (&args.invariant[..], &cases[..]) {
            ([], _) => None,
            (texts, [case]) => Some(claims(case.system(), "--invariant", texts)?),
            (_, cases) => {
                let names: Vec<&str> = cases.iter().map(ProofGoal::name).collect();
                let why = format!("--invariant is checked for one theorem; name it: {}", names.join(", "));
                return Err(Problem::Usage(why));
            }
        };
        Ok(ProofRequest { subject, cases, broken: args.broken.is_some(), invariant, engine })
    }

    /// The claim about the sound form that a broken one is a form of: the same property of a system with the same
    /// variables.
    pub(super) fn sound(&self, broken: &Theorem) -> Option<&Theorem> {
        let names = |system: &System| -> Vec<String> {
            system.variables.iter().map(|variable| variable.name.clone()).collect()
        };
        self.subject.cases.iter().find_map(|case| match case {
            ProofGoal::Holds(theorem)
                if theorem.property.formula == broken.property.formula
                    && names(&theorem.system) == names(&broken.system) =>
            {
                Some(theorem)
            }
            _ => None,
        })
    }
}

/// The subject of this name.
pub(super) fn found(name: &str, subjects: Vec<ProofSubject>) -> Result<ProofSubject, Problem> {
    let known: Vec<String> = subjects.iter().map(|subject| subject.name.clone()).collect();
    let unknown = || Problem::Unknown {
        origin: SettingOrigin::Argument(String::new()),
        what: "subject",
        name: name.to_string(),
        known,
    };
    subjects.into_iter().find(|subject| subject.name == name).ok_or_else(unknown)
}

/// The claims that are named: all of the subject if none is, or the broken one of `--broken`.
pub(super) fn named(args: &ProveArgs, subject: &ProofSubject) -> Result<Vec<ProofGoal>, Problem> {
    let pick = |cases: &[ProofGoal], what: &'static str, name: &String| {
        let known = cases.iter().map(|case| case.name().to_string()).collect();
        let unknown = || Problem::Unknown {
            origin: SettingOrigin::Argument(subject.name.clone()),
            what,
            name: name.clone(),
            known,
        };
        cases.iter().find(|case| case.name() == name).cloned().ok_or_else(unknown)
    };
    match (&args.broken, &args.theorems[..]) {
        (Some(name), []) => Ok(vec![pick(&subject.broken, "broken form", name)?]),
        (Some(_), [theorem, ..]) => Err(Problem::Usage(format!(
            "--broken names a form of the model with a claim of its own; leave `{theorem}` out"
        ))),
        (None, []) => Ok(subject.cases.clone()),
        (None, names) => names.iter().map(|name| pick(&subject.cases, "theorem", name)).collect(),
    }
}

/// A property of the user's own, over the system of the claim that is named, or of the first.
fn own(cases: &[ProofGoal], text: &str) -> Result<ProofGoal, Problem> {
    let Some(case) = cases.first() else {
        return Err(Problem::Usage("--property: this subject has no system yet".to_string()));
    };
    let (system, points) = match case {
        ProofGoal::Holds(theorem) => (&theorem.system, &theorem.points),
        ProofGoal::Fails(refutation) => (&refutation.system, &refutation.points),
    };
    let formula = formula(system, "--property", text)?;
    Ok(ProofGoal::Holds(Theorem {
        name: "property".to_string(),
        statement: told(system, &formula),
        system: system.clone(),
        property: Claim { name: "the property".to_string(), formula },
        lemmas: Vec::new(),
        points: points.clone(),
    }))
}

/// The claim for fewer parameters. Points that are none any more are dropped; if none is left, small ones are looked for.
fn narrow(case: &mut ProofGoal, texts: &[String]) -> Result<(), Problem> {
    let (system, points) = match case {
        ProofGoal::Holds(theorem) => (&mut theorem.system, &mut theorem.points),
        ProofGoal::Fails(refutation) => (&mut refutation.system, &mut refutation.points),
    };
    for text in texts {
        *system = system.under(assumption(system, "--assume", text)?);
    }
    points.retain(|point| SystemInstance::new(system, point).is_ok());
    if points.is_empty() {
        *points = small_points(system);
        points.truncate(6);
    }
    Ok(())
}

fn engine(args: &ProveArgs) -> Result<Engine, Problem> {
    let name = args.engine.as_deref().unwrap_or("templates");
    let refused =
        |flag: &str, why: String| Problem::Value { origin: SettingOrigin::Argument(flag.to_string()), why };
    let depth = match &args.depth {
        None => DEPTH,
        Some(text) => {
            text.trim().parse().ok().filter(|depth| (1..=DEEPEST).contains(depth)).ok_or_else(|| {
                refused(
                    "--depth",
                    format!("`{text}` is not a number of steps; write one from 1 to {DEEPEST}"),
                )
            })?
        }
    };
    let engine = match name {
        "templates" => Engine::Templates,
        "spacer" => Engine::Spacer,
        "k-induction" => Engine::KInduction(depth),
        "bounded" => Engine::Bounded(depth),
        other => {
            let known = ["templates", "spacer", "k-induction", "bounded"].map(str::to_string).to_vec();
            let origin = SettingOrigin::Argument("--engine".to_string());
            return Err(Problem::Unknown { origin, what: "engine", name: other.to_string(), known });
        }
    };
    if args.depth.is_some() && matches!(engine, Engine::Templates | Engine::Spacer) {
        let why = format!("`{name}` has no depth; leave it out, or choose --engine k-induction or bounded");
        return Err(refused("--depth", why));
    }
    Ok(engine)
}

/// Refuses flags that do not go together.
fn fitting(args: &ProveArgs) -> Result<(), Problem> {
    let given: [(&str, bool); 10] = [
        ("--at", args.at.is_some()),
        ("--invariant", !args.invariant.is_empty()),
        ("--engine", args.engine.is_some()),
        ("--lemma", !args.lemma.is_empty()),
        ("--certificate", args.certificate.is_some()),
        ("--solver", args.solver.is_some()),
        ("--limit", args.limit.is_some()),
        ("--depth", args.depth.is_some()),
        ("--property", args.property.is_some()),
        ("several theorems", args.theorems.len() > 1),
    ];
    let is = |flag: &str| given.iter().any(|(name, given)| *name == flag && *given);
    let apart: [(&str, &[&str], &str); 3] = [
        (
            "--at",
            &["--invariant", "--engine", "--lemma", "--certificate", "--solver", "--limit", "--depth"],
            "--at searches one instance and asks no solver",
        ),
        ("--invariant", &["--engine", "--lemma"], "--invariant checks what is given and looks for nothing"),
        ("--property", &["several theorems"], "--property is asked of one system, that of the first theorem"),
    ];
    for (flag, others, why) in apart {
        if let Some(other) = others.iter().find(|other| is(flag) && is(other)) {
            return Err(Problem::Usage(format!(
                "{flag} and {other} do not go together: {why}; leave one of them out"
            )));
        }
    }
    if is("--lemma") && matches!(args.engine.as_deref(), Some("spacer" | "bounded")) {
        let engine = args.engine.as_deref().unwrap_or_default();
        return Err(Problem::Usage(format!("--lemma: the engine {engine} uses no lemmas; leave them out")));
    }
    Ok(())
}
