//! `refine`: whether every behaviour of one model is a behaviour of another, in traces, failures, or failures and divergences.

use crate::arguments::OutputArgs;
use crate::clock::{Clock, Showing};
use crate::command_line::CommandLine;
use crate::commands::space::{larger, subset_limit};
use crate::job::Job;
use crate::models::{ModelArgs, OpenedModel, ViewArgs, open, search_options};
use crate::program::Program;
use clap::Args;
use strum::VariantNames;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, SettingOrigin, machine};
use watchkeeper_explore::ExploreError;
use watchkeeper_logic::{
    ExitCode, Outcome, RefinementViolation, Semantics, Stats, Verdict, Violation, ViolationKind,
};
use watchkeeper_lts::{LtsRefinement, RefinementEnd, refines};
use watchkeeper_space::{Event, Trace};

/// All flags of `refine`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RefineArgs {
    /// The implementation: a protocol, a scenario file (.toml), a space (.aut), a specification (.mcrl2) or
    /// 'casebook CASE --model MODEL'; with flags of its
    /// own in quotation marks, such as 'ring --n 3 --channel drop:1'
    #[arg(value_name = "IMPLEMENTATION")]
    implementation: String,

    /// The specification, named in the same ways
    #[arg(value_name = "SPECIFICATION")]
    specification: String,

    /// What is compared: traces, failures or failures-divergences [default: traces]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    #[command(flatten)]
    view: ViewArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The three models of CSP, by their names on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
enum ComparedModel {
    Traces,
    Failures,
    FailuresDivergences,
}

impl ComparedModel {
    fn given(text: Option<&str>) -> Result<ComparedModel, Problem> {
        let Some(text) = text else { return Ok(ComparedModel::Traces) };
        text.parse().map_err(|_| {
            let origin = SettingOrigin::Argument(format!("--model {text}"));
            origin.refused(format!("choose one of {}", ComparedModel::VARIANTS.join(", ")))
        })
    }

    fn semantics(self) -> Semantics {
        match self {
            ComparedModel::Traces => Semantics::Traces,
            ComparedModel::Failures => Semantics::StableFailures,
            ComparedModel::FailuresDivergences => Semantics::FailuresDivergences,
        }
    }
}

/// Compares what the arguments name.
pub(crate) fn run(program: &Program, args: &RefineArgs) -> Result<ExitCode, Problem> {
    let model = ComparedModel::given(args.model.as_deref())?;
    if args.output.out_dot.is_some() || args.output.out_aut.is_some() {
        let why = "--out-dot and --out-aut write one space; write each with the command `space`".to_string();
        return Err(Problem::Usage(why));
    }
    let words = [&args.implementation, &args.specification];
    let [implementation, specification] = words.map(|word| ModelArgs::of_word(program, word));
    let (implementation, specification) = (implementation?, specification?);
    let options = search_options(&implementation)?;
    let job = Job::new(options.clone(), &args.output)?;
    let clock = Clock::start(options.timeout, Showing::fitting(args.output.quiet));
    let mut sides = Vec::new();
    for side in [&implementation, &specification] {
        match open(program, side, &args.view, &clock)? {
            Ok(opened) if opened.dense => return Err(dense(&opened.name)),
            Ok(opened) => sides.push(opened),
            Err(limit) => return Ok(larger(&limit)),
        }
    }
    let (Some(specification), Some(implementation)) = (sides.pop(), sides.pop()) else {
        return Err(Problem::Usage("two models are compared".to_string()));
    };
    let semantics = model.semantics();
    let limit = subset_limit(&options.search, &clock);
    let found = refines(&implementation.system, &specification.system, semantics, limit);
    clock.finish();
    let found = found.map_err(|lost| Problem::Explore(ExploreError::Lost(lost)))?;
    let verdict = verdict((&implementation, &specification), semantics, found, &options)?;
    job.tell(verdict, clock.seconds(), &again(program, args, model))
}

/// The problem that a space of zones is no space of states.
pub(crate) fn dense(name: &str) -> Problem {
    Problem::Usage(format!(
        "{name} is in dense time, where a state is a zone, and zones do not say when there is a choice; compare it in ticks (--time \
         ticks)"
    ))
}

fn verdict(
    (implementation, specification): (&OpenedModel, &OpenedModel),
    semantics: Semantics,
    found: LtsRefinement,
    options: &SearchOptions,
) -> Result<Verdict, Problem> {
    let property = format!("{} refines {} in {semantics}", implementation.name, specification.name);
    let sizes = found.sizes;
    let outcome = match found.end {
        // What a cap took from an implementation, nobody has looked at.
        RefinementEnd::Refines(evidence) => {
            let strict = semantics != Semantics::Traces;
            let cut = implementation.cut.clone().or_else(|| specification.cut.clone().filter(|_| strict));
            cut.map_or(Outcome::Holds(evidence), Outcome::Unknown)
        }
        RefinementEnd::Stopped(limit) => Outcome::Unknown(limit),
        RefinementEnd::Fails { way, violation } => match &specification.cut {
            Some(cut) => Outcome::Unknown(cut.clone()),
            None => {
                let trace = remarked(implementation.run(&way)?, &violation);
                let what = format!("{property}: {violation}");
                let shortest = implementation.cut.is_none();
                Outcome::Violated(Box::new(Violation {
                    finding: ViolationKind::Safety,
                    what,
                    trace,
                    shortest,
                }))
            }
        },
    };
    let mut assumptions = vec![
        "what can be seen are the labels of steps, compared by their texts; tau is internal".to_string(),
        format!(
            "{} of {} states of the implementation were looked at, beside {} sets of states of the specification, which \
             has {} states modulo divergence-preserving branching bisimilarity",
            sizes.implementation,
            implementation.system.states(),
            sizes.sets,
            sizes.specification
        ),
    ];
    match semantics {
        Semantics::Traces => {}
        Semantics::StableFailures => assumptions.push(
            "a stable state has no internal step, faults are steps like any other, and divergence is not looked at".to_string(),
        ),
        Semantics::FailuresDivergences => assumptions.push(
            "a stable state has no internal step, and where the specification can go on for ever without being seen, everything \
             is allowed from then on"
                .to_string(),
        ),
    }
    for side in [implementation, specification] {
        assumptions.extend(side.assumptions.iter().map(|assumption| format!("{}: {assumption}", side.name)));
    }
    let peak_bytes = machine::peak_bytes().unwrap_or(0);
    let stats = Stats {
        distinct_states: sizes.pairs,
        transitions: found.transitions,
        level_sizes: found.level_sizes,
        peak_bytes,
        bytes_per_state: peak_bytes as f64 / (sizes.pairs as f64).max(1.0),
        workers: options.search.workers,
        ..Stats::default()
    };
    let warnings = unmatched(implementation, specification);
    Ok(Verdict { outcome, property, assumptions, warnings, coverage: Vec::new(), stats })
}

/// Labels that only one side has: mostly a name that is spelled differently.
fn unmatched(implementation: &OpenedModel, specification: &OpenedModel) -> Vec<String> {
    let labels = |side: &OpenedModel| side.system.labels().iter().map(str::to_string).collect::<Vec<_>>();
    let (mine, theirs) = (labels(implementation), labels(specification));
    let missing: Vec<&str> =
        mine.iter().filter(|label| !theirs.contains(label)).map(String::as_str).take(8).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "the specification never has the label {}, so it does not allow it; hide or rename what is not meant to be compared",
        missing.join(", ")
    )]
}

/// The run with what is wrong at its end.
fn remarked(mut trace: Trace, violation: &RefinementViolation) -> Trace {
    let text = format!("seen so far: {}; {violation}", violation.seen());
    let last = trace.steps.last_mut().map_or(&mut trace.opening, |step| &mut step.events);
    last.push(Event::Remark { text });
    trace
}

fn again(program: &Program, args: &RefineArgs, model: ComparedModel) -> String {
    let mut line = CommandLine::new(&program.name, &["refine", &args.implementation, &args.specification]);
    line.flag("model", model);
    args.view.add_to(&mut line);
    line.to_string()
}
