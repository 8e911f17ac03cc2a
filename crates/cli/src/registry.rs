//! The protocols that a program knows by name. Each is a subject whose type is forgotten here; what is
//! kept is what a command needs of it.

use crate::classify::{Classified, classify};
use crate::clock::Clock;
use crate::command_line::CommandLine;
use crate::daemon::{self, Prospect, Setup};
use crate::effort::Effort;
use crate::inquiry::inquiries;
use crate::interleaving::Interleaving;
use crate::job::{Job, Manner};
use crate::machine;
use crate::plan::{Asked, Plan, Usual, size};
use crate::problem::{Origin, Problem};
use crate::question::{Posed, Together, pose, properties, usually_asked};
use crate::settings::{SHORT, Settings};
use crate::subject::{Form, Param, Params, Subject};
use crate::sweep::cells::{Cell, Watchman};
use watchkeeper_logic::{ExitCode, Verdict};
use watchkeeper_protocols::detection::Staggered;
use watchkeeper_report::Run;
use watchkeeper_world::{
    CutoffReport, Deviation, Faults, Followed, Limits, RecordedRun, Scenario, World, membership,
};

/// A protocol that is known by name.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) form: Form,
    /// What `--n` counts.
    pub(crate) counted: &'static str,
    /// The parameters that its name leaves open.
    pub(crate) params: Vec<Param>,
    /// The names of its properties, with what they say.
    pub(crate) properties: Vec<(&'static str, &'static str)>,
    /// Checks it.
    check: fn(&Form, &str, &Settings, &Job) -> Result<ExitCode, Problem>,
    /// Searches one cell of a grid of its parameters.
    cell: fn(&Form, &str, &Settings, &Effort, &Watchman<'_>) -> Result<Cell, Problem>,
    /// Asks one thing of it, whatever else the settings ask.
    ask: fn(&Form, &str, &Settings, &Asking<'_>) -> Result<Answered, Problem>,
    /// Holds it, in systems of these sizes, against the class of protocols of which two processes are enough.
    class: fn(&Form, &Settings, &[usize], u64) -> Result<CutoffReport, Problem>,
    /// The classes of failure detectors that it belongs to.
    classify: fn(&Form, &str, &Settings, &Effort, &Clock) -> Result<Sorted, Problem>,
    /// Holds a recorded run against it.
    replay: fn(&Form, &Settings, &mut RecordedRun) -> Result<Replayed, Problem>,
    /// The properties that a plan of these settings asks for, and what there is around.
    outline: fn(&Form, &Settings) -> Result<Plan, Problem>,
    /// Whether it is told what a failure detector thinks.
    hears: fn(&Form) -> bool,
    /// What a node of it would be.
    prospect: fn(&Form, &Settings) -> Result<Prospect, Problem>,
    /// Runs a node of it.
    serve: fn(&Form, Setup<'_>) -> Result<ExitCode, Problem>,
}

impl Entry {
    /// The entries of a subject: one for each of its forms.
    pub(crate) fn of<S: Subject>() -> Vec<Entry> {
        let entry = |form: Form| Entry {
            counted: S::COUNTED,
            params: S::PARAMS.iter().filter(|param| !form.settles(param.name)).copied().collect(),
            properties: properties::<S>(),
            check: check_subject::<S>,
            cell: cell_of_subject::<S>,
            ask: ask_subject::<S>,
            classify: classify_subject::<S>,
            class: class_of_subject::<S>,
            replay: replay_subject::<S>,
            outline: |form, settings| Ok(built::<S>(form, settings)?.plan),
            hears: |form| {
                built::<S>(form, &Settings::default()).is_ok_and(|built| built.plan.scenario.oracle.is_some())
            },
            prospect: |form, settings| Prospect::of(form, settings, &built::<S>(form, settings)?),
            serve: |form, setup| daemon::serve(built::<S>(form, &setup.file.settings)?.protocol, setup),
            form,
        };
        Form::all::<S>().into_iter().map(entry).collect()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.form.name
    }

    /// Checks it, for a program of this name.
    pub(crate) fn check(&self, program: &str, settings: &Settings, job: &Job) -> Result<ExitCode, Problem> {
        (self.check)(&self.form, program, settings, job)
    }

    /// Searches one cell of a grid of its parameters, property by property.
    pub(crate) fn cell(
        &self,
        program: &str,
        settings: &Settings,
        effort: &Effort,
        watchman: &Watchman<'_>,
    ) -> Result<Cell, Problem> {
        (self.cell)(&self.form, program, settings, effort, watchman)
    }

    /// Asks one thing of it, whatever else the settings ask.
    pub(crate) fn ask(
        &self,
        program: &str,
        settings: &Settings,
        asking: &Asking<'_>,
    ) -> Result<Answered, Problem> {
        (self.ask)(&self.form, program, settings, asking)
    }

    /// Holds it against the class of protocols of which two processes are enough, looking at so many local
    /// states at most.
    pub(crate) fn class(
        &self,
        settings: &Settings,
        sizes: &[usize],
        most: u64,
    ) -> Result<CutoffReport, Problem> {
        (self.class)(&self.form, settings, sizes, most)
    }

    /// The classes of failure detectors that it belongs to.
    pub(crate) fn classify(
        &self,
        program: &str,
        settings: &Settings,
        effort: &Effort,
        clock: &Clock,
    ) -> Result<Sorted, Problem> {
        (self.classify)(&self.form, program, settings, effort, clock)
    }

    /// Holds a recorded run against it, with the limits on faults that the settings give.
    pub(crate) fn replay(&self, settings: &Settings, run: &mut RecordedRun) -> Result<Replayed, Problem> {
        (self.replay)(&self.form, settings, run)
    }

    /// What these settings ask for.
    pub(crate) fn outline(&self, settings: &Settings) -> Result<Plan, Problem> {
        (self.outline)(&self.form, settings)
    }

    /// Whether it is told what a failure detector thinks, so that an oracle can stand below it.
    pub(crate) fn hears(&self) -> bool {
        (self.hears)(&self.form)
    }

    /// What a node of it would be with these settings.
    pub(crate) fn prospect(&self, settings: &Settings) -> Result<Prospect, Problem> {
        (self.prospect)(&self.form, settings)
    }

    /// Runs a node of it until it is told to end.
    pub(crate) fn serve(&self, setup: Setup<'_>) -> Result<ExitCode, Problem> {
        (self.serve)(&self.form, setup)
    }

    /// Its name, what it is, and how many processes it may have.
    fn heading(&self) -> String {
        let Form { name, about, processes, sizes, .. } = self.form;
        let counted = match sizes {
            (least, most) if least == most => format!("--n {most}"),
            (least, most) => format!("--n from {least} to {most} [default: {processes}]"),
        };
        format!("{name}\n    {about}\n  {}: {counted}\n", capital(self.counted))
    }

    /// Its parameters and properties.
    fn details(&self) -> String {
        let mut out = String::new();
        let width = |rows: &mut dyn Iterator<Item = usize>| rows.max().unwrap_or(0);
        if !self.params.is_empty() {
            out.push_str("  Parameters (--param NAME=VALUE):\n");
            let wide = width(&mut self.params.iter().map(|param| param.name.len()));
            for Param { name, about, default } in &self.params {
                let short = if SHORT.contains(name) { format!("; also --{name}") } else { String::new() };
                out.push_str(&format!("    {name:wide$}  {about} [default: {default}{short}]\n"));
            }
        }
        out.push_str("  Properties (--property NAME,NAME):\n");
        let wide = width(&mut self.properties.iter().map(|(name, _)| name.len()));
        for (name, about) in &self.properties {
            out.push_str(&format!("    {name:wide$}  {about}\n"));
        }
        out
    }
}

/// The classes of a detector, and what it took to find them.
pub(crate) type Sorted = (Classified, Run);

/// A verdict, and what it took.
pub(crate) type Answered = (Verdict, Run);

/// One thing that is asked, and how the answer is looked for.
pub(crate) struct Asking<'a> {
    pub(crate) asked: Asked,
    /// How long after the first the last process may begin.
    pub(crate) stagger: u32,
    pub(crate) effort: &'a Effort,
    pub(crate) clock: &'a Clock,
}

/// Protocols as a person reads about them. Neighbours that take the same parameters and have the same
/// properties say so once.
pub(crate) fn texts(entries: &[&Entry]) -> String {
    let same = |a: &&Entry, b: &&Entry| a.details() == b.details();
    let group = |group: &[&Entry]| {
        let headings: String = group.iter().map(|entry| entry.heading()).collect();
        format!("{headings}{}", group[0].details())
    };
    entries.chunk_by(same).map(group).collect::<Vec<_>>().join("\n")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The entry of this name.
pub(crate) fn find<'a>(entries: &'a [Entry], name: &str, origin: &Origin) -> Result<&'a Entry, Problem> {
    entries.iter().find(|entry| entry.name() == name).ok_or_else(|| Problem::Unknown {
        origin: origin.clone(),
        what: "protocol",
        name: name.to_string(),
        known: entries.iter().map(|entry| entry.name().to_string()).collect(),
    })
}

/// The plan of the settings for a protocol that is there already.
pub(crate) fn plan<S: Subject>(protocol: &S, n: usize, settings: &Settings) -> Result<Plan, Problem> {
    let usual = Usual { n, scenario: protocol.surroundings(n), asked: usually_asked::<S>() };
    let plan = Plan::of(settings, usual)?;
    let interleaving = Interleaving::of(protocol, &plan.scenario, settings)?;
    Ok(Plan { interleaving, ..plan })
}

/// A protocol as the settings have it.
pub(crate) struct Built<S> {
    pub(crate) protocol: S,
    pub(crate) params: Params,
    pub(crate) plan: Plan,
}

pub(crate) fn built<S: Subject>(form: &Form, settings: &Settings) -> Result<Built<S>, Problem> {
    let n = size(settings, form.processes, form.sizes, S::COUNTED)?;
    let params = Params::of(S::PARAMS, form, settings)?;
    let protocol = S::build(n, &params)?;
    let plan = plan(&protocol, n, settings)?;
    // What clients ask is read here, so that every command refuses the same.
    protocol.clients(plan.scenario.n, &params)?;
    Ok(Built { protocol, params, plan })
}

impl<S: Subject> Built<S> {
    /// The command line that says this.
    fn line(&self, form: &Form, program: &str, effort: &Effort) -> CommandLine {
        let mut line = CommandLine::new(program, &["check", form.name]);
        self.add_to(form, &mut line, effort, S::SYMMETRIC);
        line
    }

    /// Adds the flags that say this; `automatic` as in [`Effort::search_of`].
    fn add_to(&self, form: &Form, line: &mut CommandLine, effort: &Effort, automatic: bool) {
        self.plan.add_to(line);
        for Param { name, default, .. } in S::PARAMS.iter().filter(|param| !form.settles(param.name)) {
            let text = self.params.text(name);
            if text != *default {
                line.param(name, text);
            }
        }
        effort.add_to(line, automatic);
    }

    fn manner(&self) -> Manner {
        Manner {
            symmetric: self.plan.is_symmetric(S::SYMMETRIC),
            absent: self.protocol.absent(),
            cautions: self.protocol.cautions(&self.plan.scenario),
        }
    }
}

fn check_subject<S: Subject>(
    form: &Form,
    program: &str,
    settings: &Settings,
    job: &Job,
) -> Result<ExitCode, Problem> {
    let built = built::<S>(form, settings)?;
    let line = built.line(form, program, &job.effort).to_string();
    let asked = inquiries(&built.protocol, &built.params, &built.plan, Together::AsFarAsPossible)?;
    job.inquire(asked, &built.manner(), &line)
}

/// Refuses a plan that is searched in stages, for commands that search worlds as they are.
fn every_interleaving(plan: &Plan) -> Result<(), Problem> {
    if !plan.interleaving.stages {
        return Ok(());
    }
    let why = "this command searches all interleavings, and this protocol is searched in stages; use `check`, or \
               add --interleaving all";
    Err(Problem::Usage(why.to_string()))
}

/// Refuses a plan whose bounds are unknown, for commands that search one world at a time: they would answer for the
/// largest bounds alone.
fn known_bounds(plan: &Plan, command: &str) -> Result<(), Problem> {
    if !plan.unknown {
        return Ok(());
    }
    let why = format!(
        "{command} searches one set of bounds at a time, and --synchrony unknown is about many; use `check` or \
         `classify`, or leave it out"
    );
    Err(Problem::Usage(why))
}

fn cell_of_subject<S: Subject>(
    form: &Form,
    program: &str,
    settings: &Settings,
    effort: &Effort,
    watchman: &Watchman<'_>,
) -> Result<Cell, Problem> {
    let built = built::<S>(form, settings)?;
    known_bounds(&built.plan, "sweep")?;
    let mut cell = Cell { command: built.line(form, program, effort).to_string(), verdicts: Vec::new() };
    let manner = built.manner();
    for inquiry in inquiries(&built.protocol, &built.params, &built.plan, Together::Never)? {
        let mut all = 0.0;
        let mut verdict = inquiry.verdict(|space, question| {
            let search = effort.search_of(manner.symmetric);
            let (verdict, seconds) = watchman.verdict(space, question, &search)?;
            all += seconds;
            Ok(verdict)
        })?;
        manner.spare(&mut verdict);
        cell.verdicts.push((verdict, all));
    }
    Ok(cell)
}

fn classify_subject<S: Subject>(
    form: &Form,
    program: &str,
    settings: &Settings,
    effort: &Effort,
    clock: &Clock,
) -> Result<Sorted, Problem> {
    let mut built = built::<S>(form, settings)?;
    // Everything is asked of a detector, whatever else a plan would ask.
    built.plan.asked.clear();
    let began = clock.seconds();
    let mut found = classify(&built.protocol, &built.plan, effort, clock)?;
    found.traits.iter_mut().for_each(|(_, verdict)| built.manner().spare(verdict));
    let mut line = CommandLine::new(program, &["classify", form.name]);
    built.add_to(form, &mut line, effort, S::SYMMETRIC);
    let seconds = clock.seconds() - began;
    Ok((found, Run { command: line.to_string(), seconds, peak_bytes: machine::peak_bytes().unwrap_or(0) }))
}

/// Asks one thing. Where channels let it, a reduction by the symmetry that the protocol promises is made unless
/// somebody forbids it: nobody sees more of this verdict than its figures.
fn ask_subject<S: Subject>(
    form: &Form,
    program: &str,
    settings: &Settings,
    asking: &Asking<'_>,
) -> Result<Answered, Problem> {
    let mut built = built::<S>(form, settings)?;
    known_bounds(&built.plan, "this command")?;
    every_interleaving(&built.plan)?;
    built.plan.asked = vec![asking.asked.clone()];
    let began = asking.clock.seconds();
    let (mut verdict, symmetry) = match asking.stagger {
        0 => answer_of(&built.protocol, &built.plan, asking)?,
        within => answer_of(&Staggered::new(built.protocol.clone(), within), &built.plan, asking)?,
    };
    built.manner().spare(&mut verdict);
    let mut effort = asking.effort.clone();
    effort.symmetry = symmetry;
    let mut line = CommandLine::new(program, &["check", form.name]);
    built.add_to(form, &mut line, &effort, true);
    let command = line.to_string();
    let seconds = asking.clock.seconds() - began;
    Ok((verdict, Run { command, seconds, peak_bytes: machine::peak_bytes().unwrap_or(0) }))
}

/// The answer to the only question of a plan, and what `--symmetry` has to say to get it again.
fn answer_of<S: Subject>(
    protocol: &S,
    plan: &Plan,
    asking: &Asking<'_>,
) -> Result<(Verdict, Option<bool>), Problem> {
    let posed = pose(protocol, plan, Together::Never)?;
    let Some(Posed { world, question }) = posed.first() else {
        return Err(Problem::Usage(format!("nothing is asked of {}; name a property", S::NAME)));
    };
    let search = asking.effort.search_of(plan.is_symmetric(true));
    let found = watchkeeper_explore::check(world, question, &search, asking.clock);
    asking.clock.finish();
    let verdict = found?;
    let symmetry = if verdict.stats.renamings > 0 { Some(true) } else { asking.effort.symmetry };
    Ok((verdict, symmetry))
}

/// Holds a protocol against the class, in those of the systems that it can have, or else in its usual one.
fn class_of_subject<S: Subject>(
    form: &Form,
    settings: &Settings,
    sizes: &[usize],
    most: u64,
) -> Result<CutoffReport, Problem> {
    let params = Params::of(S::PARAMS, form, settings)?;
    let possible = |n: &usize| (form.sizes.0..=form.sizes.1).contains(n);
    let mut sizes: Vec<usize> = sizes.iter().copied().filter(possible).collect();
    if sizes.is_empty() {
        sizes.push(form.processes);
    }
    let built =
        sizes.iter().map(|&n| S::build(n, &params).map(|protocol| (protocol.surroundings(n).n, protocol)));
    let built: Vec<(usize, S)> = built.collect::<Result<_, _>>()?;
    let systems: Vec<(usize, &S)> = built.iter().map(|(n, protocol)| (*n, protocol)).collect();
    Ok(membership(&systems, most))
}

/// A recorded run that follows the model, or where it does not.
pub(crate) type Replayed = Result<Followed, Box<Deviation>>;

/// Holds a recorded run against a protocol. Faults are as many as happened where nobody says how many may.
fn replay_subject<S: Subject>(
    form: &Form,
    settings: &Settings,
    run: &mut RecordedRun,
) -> Result<Replayed, Problem> {
    let Built { protocol, plan, .. } = built::<S>(form, settings)?;
    let faults = &plan.scenario.faults;
    let said = |name| settings.given(name).is_some();
    run.limits = Limits {
        crashes: said("crashes").then_some(faults.crashes),
        crashable: said("crashable").then_some(faults.crashable),
        recoveries: said("recoveries").then_some(faults.recoveries),
    };
    let scenario = Scenario { faults: Faults::default(), ..plan.scenario };
    Ok(World::new(protocol, scenario)?.follow(run))
}
