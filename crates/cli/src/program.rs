//! A program with the command line of this project: which protocols it knows, and the way from its
//! arguments to its exit code. No panic and no clap exit code gets past it.

use crate::arguments::CheckArgs;
use crate::commands::bound::BoundArgs;
use crate::commands::call::CallArgs;
use crate::commands::casebook::CasebookArgs;
use crate::commands::choose::ChooseArgs;
use crate::commands::classify::ClassifyArgs;
use crate::commands::cluster::ClusterArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::cutoff::CutoffArgs;
use crate::commands::explore::ExploreArgs;
use crate::commands::key::KeyArgs;
use crate::commands::list::ListArgs;
use crate::commands::man::ManArgs;
use crate::commands::measure::MeasureArgs;
use crate::commands::prove::ProveArgs;
use crate::commands::recheck::RecheckArgs;
use crate::commands::refine::RefineArgs;
use crate::commands::regions::RegionsArgs;
use crate::commands::replay::ReplayArgs;
use crate::commands::resume::ResumeArgs;
use crate::commands::run::RunArgs;
use crate::commands::simulate::SimulateArgs;
use crate::commands::space::SpaceArgs;
use crate::commands::status::StatusArgs;
use crate::commands::sweep::SweepArgs;
use crate::commands::{
    bound, call, casebook, check, choose, classify, cluster, compare, completions, cutoff, explore, key,
    list, man, measure, prove, recheck, refine, regions, replay, resume, run, simulate, space, status, sweep,
};
use crate::interrupt::{self, FirstSignal};
use crate::outputs::to_stderr;
use crate::page::child::end_with_parent;
use crate::registry::{self, ProtocolEntry};
use crate::{crash, files, help};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use watchkeeper::{Described, Problem};
use watchkeeper_logic::ExitCode;

/// A program that checks the protocols it knows.
#[derive(Clone)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) entries: Vec<ProtocolEntry>,
    /// Whether it is about one protocol, whose name can then be left out.
    pub(crate) alone: bool,
    pub(crate) casebook: bool,
}

/// The command line of this project for one protocol: the whole `main` of a user's own program.
///
/// ```no_run
/// # use watchkeeper::protocols::ring::Ring as MyProtocol;
/// fn main() -> std::process::ExitCode {
///     watchkeeper_cli::main_with::<MyProtocol>()
/// }
/// ```
pub fn main_with<P: Described>() -> std::process::ExitCode {
    Program::only::<P>().main()
}

impl Program {
    /// A program that knows no protocol yet, with the name it was started by.
    #[expect(clippy::new_without_default, reason = "it looks at how the process was started")]
    pub fn new() -> Program {
        let first = std::env::args_os().next().unwrap_or_default();
        let name = Path::new(&first).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| "watchkeeper".to_string());
        Program { name, entries: Vec::new(), alone: false, casebook: false }
    }

    /// A program about one protocol, whose name its users can leave out.
    pub fn only<P: Described>() -> Program {
        Program { alone: true, ..Program::new().protocol::<P>() }
    }

    /// This program with one more protocol.
    #[must_use]
    pub fn protocol<P: Described>(mut self) -> Program {
        self.entries.extend(ProtocolEntry::of::<P>());
        self
    }

    /// This program with the command `casebook`.
    #[must_use]
    pub fn casebook(mut self) -> Program {
        self.casebook = true;
        self
    }

    /// Does what the arguments of the process say.
    pub fn main(self) -> std::process::ExitCode {
        std::process::ExitCode::from(self.run(std::env::args_os()).0)
    }

    /// Does what these arguments say, of which the first is the name of the program.
    pub fn run(&self, args: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        crash::guard(|| self.answer(&args))
    }

    fn answer(&self, args: &[OsString]) -> ExitCode {
        end_with_parent();
        let matches = match self.command(args).try_get_matches_from(args) {
            Ok(matches) => matches,
            Err(answer) => {
                // A help text or a usage error. A reader of the help that has gone away is no failure.
                let unread = |why: io::Error| why.kind() != io::ErrorKind::BrokenPipe;
                let failed = answer.print().is_err_and(unread);
                return if answer.use_stderr() || failed { ExitCode::BAD_INPUT } else { ExitCode::HOLDS };
            }
        };
        match matches.subcommand_name() {
            // A node that runs listens to signals itself: it has goodbyes to say.
            Some("run") => {}
            // These answer at once or not at all; there is no part of an answer to tell.
            Some("replay" | "key" | "list" | "status" | "call" | "completions" | "man") => {
                interrupt::listen(FirstSignal::Ends)
            }
            _ => interrupt::listen(FirstSignal::Asks),
        }
        self.obey(&matches).unwrap_or_else(|problem| {
            let told = problem.to_string();
            let hint = files::about_files(&told).unwrap_or_default();
            to_stderr(&format!("error: {told}{hint}\n"));
            problem.exit_code()
        })
    }

    fn obey(&self, matches: &ArgMatches) -> Result<ExitCode, Problem> {
        match matches.subcommand() {
            Some(("check", args)) => check::run(self, &read::<CheckArgs>(args)?),
            Some(("resume", args)) => resume::run(self, &read::<ResumeArgs>(args)?),
            Some(("sweep", args)) => sweep::run(self, &read::<SweepArgs>(args)?),
            Some(("bound", args)) => bound::run(self, &read::<BoundArgs>(args)?),
            Some(("regions", args)) => regions::run(self, &read::<RegionsArgs>(args)?),
            Some(("explore", args)) => explore::run(self, &read::<ExploreArgs>(args)?),
            Some(("space", args)) => space::run(self, &read::<SpaceArgs>(args)?),
            Some(("refine", args)) => refine::run(self, &read::<RefineArgs>(args)?),
            Some(("classify", args)) => classify::run(self, &read::<ClassifyArgs>(args)?),
            Some(("cutoff", args)) => cutoff::run(self, &read::<CutoffArgs>(args)?),
            Some(("prove", args)) => prove::run(self, &read::<ProveArgs>(args)?),
            Some(("recheck", args)) => recheck::run(self, &read::<RecheckArgs>(args)?),
            Some(("simulate", args)) => simulate::run(self, &read::<SimulateArgs>(args)?),
            Some(("measure", args)) => measure::run(self, &read::<MeasureArgs>(args)?),
            Some(("compare", args)) => compare::run(self, &read::<CompareArgs>(args)?),
            Some(("choose", args)) => choose::run(self, &read::<ChooseArgs>(args)?),
            Some(("cluster", args)) => cluster::run(self, &read::<ClusterArgs>(args)?),
            Some(("run", args)) => run::run(self, &read::<RunArgs>(args)?),
            Some(("call", args)) => call::run(self, &read::<CallArgs>(args)?),
            Some(("status", args)) => status::run(self, &read::<StatusArgs>(args)?),
            Some(("replay", args)) => replay::run(self, &read::<ReplayArgs>(args)?),
            Some(("key", args)) => key::run(self, &read::<KeyArgs>(args)?),
            Some(("casebook", args)) => casebook::run(self, &read::<CasebookArgs>(args)?),
            Some(("completions", args)) => {
                completions::run(self.command(&[]), &read::<CompletionsArgs>(args)?)
            }
            Some(("man", args)) => man::run(self.command(&[]), &read::<ManArgs>(args)?),
            Some(("list", args)) => list::run(self, &read::<ListArgs>(args)?),
            _ => list::run(self, &ListArgs::default()),
        }
    }

    /// The arguments of a command in the words of a command line, the name of the program first.
    pub(crate) fn args_of<A: FromArgMatches>(&self, command: &str, words: &[String]) -> Result<A, Problem> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let matches = self.command(&words).try_get_matches_from(&words);
        let matches = matches.map_err(|error| {
            let told = error.to_string();
            let first = told.split("\n\n").next().unwrap_or_default();
            Problem::Usage(first.strip_prefix("error: ").unwrap_or(first).trim_end().to_string())
        })?;
        match matches.subcommand() {
            Some((name, args)) if name == command => read(args),
            _ => Err(Problem::Usage(format!("the command is not `{command}`"))),
        }
    }

    /// The grammar of the command line. A command that checks a protocol has the help of the protocol that the
    /// arguments name.
    fn command(&self, args: &[OsString]) -> Command {
        let named = |entry: &&ProtocolEntry| args.iter().skip(1).any(|arg| arg == entry.name());
        let only = self.entries.first().filter(|_| self.alone);
        let entry = self.entries.iter().find(named).or(only);
        let shown = |command: Command| match entry {
            Some(entry) => entry.show_flags(command),
            None => self.listing(&command),
        };
        let check = "Search every state of a protocol on a network of your choice";
        let check = described::<CheckArgs>("check", check, help::CHECK, help::after_check(self, entry));
        let sweep = "Search a grid of parameters, and see where a property holds";
        let sweep = described::<SweepArgs>("sweep", sweep, help::SWEEP, help::after_sweep(self));
        let bound = "Find the least time within which a failure detector detects a crash, and prove it";
        let bound = described::<BoundArgs>("bound", bound, help::BOUND, help::after_bound(self));
        let regions = "Find for which values of its parameters a property holds, as a formula";
        let regions = described::<RegionsArgs>("regions", regions, help::REGIONS, help::after_regions(self));
        let regions = hidden(regions, &["ltl", "time", "synchrony", "before-delay", "before-loss"]).mut_arg("param", |arg| {
            arg.value_name("NAME[=VALUE]").help(
                "An unknown parameter, by its name, or a parameter with its value; may be repeated. Of the environment: delay, \
                 delay-min, round-trip, processing; of the property: bound",
            )
        });
        let classify =
            "Find the classes of Chandra and Toueg that a failure detector belongs to in a scenario";
        let classify =
            described::<ClassifyArgs>("classify", classify, help::CLASSIFY, help::after_classify(self));
        let classify = hidden(classify, &["property", "ltl"]);
        let cutoff = "Find out whether two processes are enough to check a protocol";
        let cutoff = described::<CutoffArgs>("cutoff", cutoff, help::CUTOFF, help::after_cutoff(self));
        let cluster = "Run all nodes of a protocol on this machine, and watch who suspects whom";
        let cluster = described::<ClusterArgs>("cluster", cluster, help::CLUSTER, help::after_cluster(self));
        let simulate =
            "Simulate whole clusters under faults of every kind, and hold each run against its model";
        let simulate =
            described::<SimulateArgs>("simulate", simulate, help::SIMULATE, help::after_simulate(self));
        let measure = "Measure how soon a failure detector detects crashes, and how often it is wrong";
        let measure = described::<MeasureArgs>("measure", measure, help::MEASURE, help::after_measure(self));
        let space = "Write, reduce and draw the state space of a protocol or of a file";
        let space = described::<SpaceArgs>("space", space, help::SPACE, help::after_space(self));
        let foreign =
            ["property", "ltl", "fairness", "search", "seed", "max-depth", "symmetry", "store", "max-disk"];
        let space = hidden(space, &foreign)
            .mut_arg("scenario", |arg| {
                arg.value_name("MODEL").help(
                    "A protocol, a scenario file (.toml), a space (.aut), a specification of mCRL2 (.mcrl2), or 'casebook CASE --model MODEL' in quotation marks",
                )
            })
            .mut_arg("reduce", |arg| {
                let about = "The smallest space modulo this equivalence: strong, branching, divergence-preserving-branching, \
                             weak-trace or trace [default: none]";
                arg.value_name("KIND").help(about).long_help(about)
            });
        let refine = "Find out whether every behaviour of one model is a behaviour of another";
        let refine = described::<RefineArgs>("refine", refine, help::REFINE, help::after_refine(self));
        let refine = hidden(refine, &["out_dot", "out_aut"]);
        let compare =
            "Measure several failure detectors and compare them; or compare two state spaces (--modulo)";
        let compare = described::<CompareArgs>("compare", compare, help::COMPARE, help::after_compare(self));
        let choose = "Choose the parameters of a failure detector for a target, at least cost";
        let choose = described::<ChooseArgs>("choose", choose, help::CHOOSE, help::after_choose(self));
        let explore = "Step through a protocol in the browser, and see the runs behind verdicts";
        let explore = described::<ExploreArgs>("explore", explore, help::EXPLORE, help::after_explore(self));
        let explore = explore.mut_arg("scenario", |arg| {
            arg.value_name("PROTOCOL|FILE|LINK")
                .help("A protocol, a scenario file (.toml), a verdict or trace (JSON), recordings, or a link [default: the page asks]")
        });
        let run = "Run one node of a protocol on a network, as a node file describes it";
        let run = described::<RunArgs>("run", run, help::RUN, help::after_run(self));
        let replay = "Find out whether a recorded run is a path of the model, and where it leaves it";
        let replay = described::<ReplayArgs>("replay", replay, help::REPLAY, help::after_replay(self));
        let replay = hidden(replay, &["property"]).mut_arg("scenario", |arg| {
            arg.index(1).value_name("FILE|DIR").help("A recording, or a directory with some").required(true)
        });
        let mut command = Command::new(self.name.clone())
            .version(env!("CARGO_PKG_VERSION"))
            .about("Checks protocols that live on messages and timeouts")
            .long_about(help::PROGRAM)
            .after_help(help::after_program(self))
            .subcommand_required(true)
            .arg_required_else_help(true)
            .disable_help_subcommand(true)
            .max_term_width(100)
            .subcommands([check, explore, sweep, regions, bound, classify, hidden(cutoff, &["n"]), space].map(shown))
            .subcommand(refine)
            .subcommand(
                ResumeArgs::augment_args(Command::new("resume"))
                    .about("Go on with a search that left checkpoints, after a kill, a limit or a loss of power")
                    .long_about(help::RESUME)
                    .after_help(help::after_resume(self)),
            )
            .subcommand(run)
            .subcommand(
                StatusArgs::augment_args(Command::new("status"))
                    .about("Ask a node that runs whom it suspects, and how its network is")
                    .after_help(help::after_status(self)),
            )
            .subcommand(
                CallArgs::augment_args(Command::new("call"))
                    .about("Ask something of the protocol of a node that runs: to say a word, to leave, to return")
                    .after_help(help::after_call(self)),
            )
            .subcommand(replay)
            .subcommand(
                KeyArgs::augment_args(Command::new("key"))
                    .about("Make a fresh key for the nodes of a cluster, or replace the one that they have")
                    .disable_help_subcommand(true)
                    .after_help(help::after_key(self)),
            )
            .subcommands([simulate, cluster].map(shown))
            .subcommands([measure, compare, choose]);
        if self.casebook {
            let prove = "Prove theorems about a model for all parameters at once, with SMT solvers";
            let prove = described::<ProveArgs>("prove", prove, help::PROVE, help::after_prove(self));
            let recheck = RecheckArgs::augment_args(Command::new("recheck"))
                .about("Verify a proof that `prove` wrote, with a solver of your choice and nothing else")
                .after_help(help::after_recheck(self));
            // The flags of the search and of the outputs are those of every case.
            let casebook = CasebookArgs::augment_args(Command::new("casebook"))
                .mut_args(|arg| arg.global(true))
                .disable_help_subcommand(true)
                .about("Repeat a published result, and see it beside what is found")
                .long_about(help::CASEBOOK)
                .after_long_help(help::after_casebook(self));
            command = command.subcommands([prove, recheck, casebook]);
        }
        let list =
            "Show the protocols with their parameters and properties, and what formulas can say of one";
        let list = shown(described::<ListArgs>("list", list, help::LIST, help::after_list(self)));
        let completions = CompletionsArgs::augment_args(Command::new("completions"))
            .about("Print a script with which a shell completes the commands and flags of this program")
            .after_help(help::after_completions(self));
        let man = ManArgs::augment_args(Command::new("man"))
            .about("Write the manual pages of this program and its commands")
            .after_help(help::after_man(self));
        command.subcommands([list, completions, man])
    }

    /// The help of a command without a protocol: it lists the protocols below.
    fn listing(&self, command: &Command) -> Command {
        let listed = registry::listed(&self.entries);
        let more = format!(
            "Protocols:\n{listed}\n`{} {} PROTOCOL --help` shows the parameters of a protocol, its properties and the \
             flags that only it has.",
            self.name,
            command.get_name()
        );
        let below = command.get_after_long_help().map_or(String::new(), |below| format!("\n\n{below}"));
        command.clone().after_help(more.clone()).after_long_help(format!("{more}{below}"))
    }
}

/// A command with examples in its long help.
fn described<A: Args>(name: &'static str, about: &'static str, long: &'static str, after: String) -> Command {
    A::augment_args(Command::new(name))
        .about(about)
        .long_about(long)
        .after_help("`--help` says more, with examples.")
        .after_long_help(after)
}

/// The command with flags that its help does not show.
fn hidden(command: Command, flags: &[&str]) -> Command {
    flags.iter().fold(command, |command, flag| command.mut_arg(flag, |arg| arg.hide(true)))
}

fn read<A: FromArgMatches>(matches: &ArgMatches) -> Result<A, Problem> {
    A::from_arg_matches(matches).map_err(|error| Problem::Usage(error.to_string()))
}
