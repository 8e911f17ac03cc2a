//! The flags of the command line, as text. What a value means is decided where all sources of settings
//! meet, so that a flag, an environment variable and a key of a file are read by the same code.

use crate::raw_settings::{RawSettings, RawValue};
use clap::Args;
use std::path::PathBuf;
use watchkeeper::{Problem, SettingOrigin};

const SCENARIO: &str = "Scenario";
const NETWORK: &str = "Network";
const TIME: &str = "Time";
const SEARCH: &str = "Search";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";

/// Of `check`: what to check, and on which system.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ScenarioArgs {
    /// The name of a protocol, or a scenario file whose name ends in .toml
    #[arg(value_name = "PROTOCOL|FILE.toml")]
    pub(crate) scenario: Option<String>,

    /// The number of processes, at least 2, or what else the protocol counts: the heartbeat protocols
    /// count their participants, so there is one process more [default: what the protocol says]
    #[arg(long, value_name = "N", help_heading = SCENARIO)]
    pub(crate) n: Option<String>,

    /// How many processes may crash, at any moment [default: 0, or all of --crashable]
    #[arg(long, value_name = "K", help_heading = SCENARIO)]
    pub(crate) crashes: Option<String>,

    /// Which processes may crash, such as p1,p2 [default: all]
    #[arg(long, value_name = "PROCESSES", help_heading = SCENARIO)]
    pub(crate) crashable: Option<String>,

    /// Which processes have crashed before the start, such as p1 [default: none]
    #[arg(long, value_name = "PROCESSES", help_heading = SCENARIO)]
    pub(crate) crashed_at_start: Option<String>,

    /// How often a process that has crashed may start again, remembering nothing, or any [default: 0]
    ///
    /// Whoever has recovered may crash again, so --crashes then counts crashes. With `any`, neither is counted,
    /// and --crashes says how many more than at the start may be down at once.
    #[arg(long, value_name = "K|any", help_heading = SCENARIO)]
    pub(crate) recoveries: Option<String>,

    /// Once a process has crashed, what it had sent and what has not arrived may be lost [default: what the
    /// protocol says: off, but on for consensus]
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        help_heading = SCENARIO
    )]
    pub(crate) crash_loses: Option<String>,

    /// The abstract failure detector below a protocol that is told what one thinks, which does whatever its class allows
    ///
    /// P     every crash is suspected in the end, and nobody before it has crashed; with :mistakes=K behind it, K
    ///       suspicions of live processes may begin in a run, and each ends
    /// <>P   the same as P from some moment on, and until then anyone may be suspected
    /// S     every crash is suspected in the end; one correct process never is
    /// <>S   the same, but that process is left alone only from some moment on
    /// none  every crash is suspected in the end, and so may everyone else be
    ///
    /// With :momentary behind it a suspicion lasts one step, with :lasting until the oracle ends it [default: S for
    /// consensus-strong and <>S for consensus-rotating, both momentary]
    #[arg(long, value_name = "CLASS[:mistakes=K][:MEMORY]", help_heading = SCENARIO, verbatim_doc_comment)]
    pub(crate) oracle: Option<String>,

    /// What the processes of a consensus protocol propose [default: distinct]
    ///
    /// distinct  process i proposes i
    /// binary    every assignment of 0 and 1, one search for each; those that differ by exchanging them once
    /// 4,7,4     what p0, p1, p2 propose
    #[arg(long, value_name = "VALUES", help_heading = SCENARIO, verbatim_doc_comment)]
    pub(crate) values: Option<String>,

    /// What to ask, separated by commas [default: deadlock, and all that the protocol offers]
    ///
    /// deadlock               while some process has not crashed, something can still happen
    /// within-capacity        no message finds its channel full; asked whenever channels report
    /// oscillation:K[:pX:pY]  pX does not stop suspecting pY K times after the crash of pY
    #[arg(long, value_name = "NAMES", help_heading = SCENARIO, verbatim_doc_comment)]
    pub(crate) property: Option<String>,

    /// A claim about all infinite runs that are fair, such as 'G F suspects(p0,p1)'; several apart by ;
    ///
    /// G F X U R W, ! & | -> <-> ~> (leads to), `all p: ...`, `some p != q: ...`, and atoms such as
    /// crashed(p1), suspects(p0,p1), stable. Needs --fairness, or --time ticks.
    #[arg(long, value_name = "FORMULA", help_heading = SCENARIO, verbatim_doc_comment)]
    pub(crate) ltl: Option<String>,

    /// Which infinite runs count, separated by commas [default: nothing is said]
    ///
    /// steps            every step that stays possible is taken: timers fire, messages arrive
    /// processes        a process that can keep taking steps does
    /// timers           a timer that stays armed fires
    /// messages         every message is delivered, or its receiver crashes
    /// links            of a kind of message that is sent again and again, some are delivered
    /// weak:NAME[@pX]   weak fairness of a message, a timer or a class of actions [of pX]
    /// strong:NAME[@pX] strong fairness of it
    #[arg(long, value_name = "NAMES", help_heading = SCENARIO, verbatim_doc_comment)]
    pub(crate) fairness: Option<String>,

    /// A parameter of the protocol; may be given for each of them
    #[arg(long, value_name = "NAME=VALUE", help_heading = SCENARIO)]
    pub(crate) param: Vec<String>,

    /// The parameter tmin of heartbeat protocols: the shortest round, and the longest round trip
    #[arg(long, value_name = "T", help_heading = SCENARIO)]
    pub(crate) tmin: Option<String>,

    /// The parameter tmax of heartbeat protocols: the longest round
    #[arg(long, value_name = "T", help_heading = SCENARIO)]
    pub(crate) tmax: Option<String>,

    /// The parameter corrected of heartbeat protocols: the bounds as they should be
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        help_heading = SCENARIO
    )]
    pub(crate) corrected: Option<String>,

    /// Capacity of each channel, and what happens to a message that finds it full [default: block:1]
    ///
    /// block:N         its sender waits, and takes no input while it waits
    /// drop:N          it is lost
    /// report:N        it is an error, told as a violation of within-capacity
    /// unbounded[:CAP] it always fits; a search that meets the cap [8] can no longer say `holds`
    #[arg(long, value_name = "SPEC", help_heading = NETWORK, verbatim_doc_comment)]
    pub(crate) channel: Option<String>,

    /// Whether messages of one channel may overtake each other: any or fifo [default: any]
    #[arg(long, value_name = "ORDER", help_heading = NETWORK)]
    pub(crate) order: Option<String>,

    /// Which messages share a channel: all from one process to another (per-pair), or all of one kind
    /// among them (per-kind) [default: per-pair]
    #[arg(long, value_name = "LANES", help_heading = NETWORK)]
    pub(crate) lanes: Option<String>,

    /// How many messages the network may lose on their way, or any [default: 0]
    #[arg(long, value_name = "K|any", help_heading = NETWORK)]
    pub(crate) loss: Option<String>,

    /// How many messages the network may deliver twice [default: 0]
    #[arg(long, value_name = "K", help_heading = NETWORK)]
    pub(crate) duplicate: Option<String>,

    /// How time passes [default: untimed; dense for the heartbeat protocols] [env: WATCHKEEPER_TIME]
    ///
    /// untimed  not at all: whatever is pending may happen at any moment, or never
    /// ticks    one unit at a time
    /// dense    continuously, all moments at once in zones
    #[arg(long, value_name = "MODEL", help_heading = TIME, verbatim_doc_comment)]
    pub(crate) time: Option<String>,

    /// How long a message is on its way, such as 1..3, 2 or 1.. [default: what the protocol says]
    #[arg(long, value_name = "LO..HI", help_heading = TIME)]
    pub(crate) delay: Option<String>,

    /// How long a message and the reply to it take together at most, in place of --delay
    #[arg(long, value_name = "T", help_heading = TIME)]
    pub(crate) round_trip: Option<String>,

    /// How long a process takes to handle a message that has arrived; adds to --delay [default: 0]
    #[arg(long, value_name = "LO..HI", help_heading = TIME)]
    pub(crate) processing: Option<String>,

    /// What comes first of what falls on the same moment: any, or deliveries-first, where a message that
    /// must arrive now arrives before any timer fires, anywhere [default: any]
    #[arg(long, value_name = "ORDER", help_heading = TIME)]
    pub(crate) simultaneous: Option<String>,

    /// How many times too slow a process may be: a timer of at most T fires after at most PHI times T, and never
    /// early [default: 1]
    #[arg(long, value_name = "PHI", help_heading = TIME)]
    pub(crate) speed: Option<String>,

    /// SynchronyModel when the bounds on messages hold, and whether they are known [default: always]
    ///
    /// always    from the start
    /// eventual  from some moment on, in every run; for --time ticks
    /// unknown   from the start; --delay and --speed are the largest there may be
    #[arg(long, value_name = "WHEN", help_heading = TIME, verbatim_doc_comment)]
    pub(crate) synchrony: Option<String>,

    /// With --synchrony eventual: how long a message takes that is sent before that moment [default: 0..inf]
    #[arg(long, value_name = "LO..HI", help_heading = TIME)]
    pub(crate) before_delay: Option<String>,

    /// With --synchrony eventual: any number of messages may be lost before that moment
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        help_heading = TIME
    )]
    pub(crate) before_loss: Option<String>,

    /// Which orders of steps to search [default: stages for consensus where possible, all for everyone else]
    ///
    /// stages  of all runs that no process can tell apart one, stage by stage, for every number of rounds
    /// all     every order
    #[arg(long, value_name = "stages|all", help_heading = SEARCH, verbatim_doc_comment)]
    pub(crate) interleaving: Option<String>,
}

/// Of every command that searches: how, and how far.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SearchArgs {
    /// Which states to look at [default: breadth]
    ///
    /// breadth      all, nearest first; the only search that can say `holds`
    /// beam:WIDTH   at each depth only the most promising WIDTH; finds deep violations
    /// walks:COUNT  COUNT random runs
    #[arg(long, value_name = "SEARCH", help_heading = SEARCH, verbatim_doc_comment)]
    pub(crate) search: Option<String>,

    /// Search one state of each set of states that only differ by a renaming of processes
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true,
        help_heading = SEARCH
    )]
    pub(crate) symmetry: Option<String>,

    /// Which steps to leave out where they do not concern each other [default: none]
    ///
    /// none   nothing
    /// order  of steps that are independent all orders but one; for untimed worlds and questions about states and
    ///        requirements. A violation is real, but need not be the shortest
    #[arg(long, value_name = "none|order", help_heading = SEARCH, verbatim_doc_comment)]
    pub(crate) reduce: Option<String>,

    /// The seed of searches that choose at random [default: 1] [env: WATCHKEEPER_SEED]
    #[arg(long, value_name = "NUMBER", help_heading = SEARCH)]
    pub(crate) seed: Option<String>,

    /// The number of threads, or auto for one on each core [default: auto] [env: WATCHKEEPER_WORKERS]
    #[arg(long, value_name = "auto|N", help_heading = SEARCH)]
    pub(crate) workers: Option<String>,

    /// The most steps from the start [default: none; 1000 for beam and walks]
    #[arg(long, value_name = "STEPS", help_heading = LIMITS)]
    pub(crate) max_depth: Option<String>,

    /// The most distinct states to keep
    #[arg(long, value_name = "STATES", help_heading = LIMITS)]
    pub(crate) max_states: Option<String>,

    /// The most memory for the search, such as 4GiB, or auto for three quarters of what is free; never more than
    /// the limits of the system leave
    /// [default: auto] [env: WATCHKEEPER_MAX_MEMORY]
    #[arg(long, value_name = "auto|SIZE", help_heading = LIMITS)]
    pub(crate) max_memory: Option<String>,

    /// The longest time to search, such as 90s or 10min [env: WATCHKEEPER_TIMEOUT]
    #[arg(long, value_name = "TIME", help_heading = LIMITS)]
    pub(crate) timeout: Option<String>,
}

/// Of every command that searches: what to leave behind.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Write the verdict as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,

    /// Draw the violation as a sequence chart, in the format of the ending: .svg, .mmd (Mermaid) or
    /// .txt; may be given more than once
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) chart: Vec<PathBuf>,

    /// Write the violation as a trace in the Informal Trace Format (JSON); - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) out_itf: Option<PathBuf>,

    /// Write the whole state space as a graph for Graphviz; for small spaces only
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) out_dot: Option<PathBuf>,

    /// Write the whole state space in the Aldebaran format; for small spaces only
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) out_aut: Option<PathBuf>,

    /// Print nothing but errors: the exit code and the output files tell the verdict
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) no_color: bool,

    /// Draw text charts with plain characters instead of lines and arrows
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) ascii: bool,
}

/// All flags of `check`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl ScenarioArgs {
    /// The scenario file, if the first argument is one.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.scenario.as_ref().filter(|name| name.ends_with(".toml")).map(PathBuf::from)
    }

    /// What these flags say.
    pub(crate) fn add_to(&self, settings: &mut RawSettings) -> Result<(), Problem> {
        if let (Some(name), None) = (&self.scenario, self.file()) {
            settings.set("protocol", name.as_str(), SettingOrigin::Argument(String::new()));
        }
        settings.flag("n", &self.n);
        settings.flag("crashes", &self.crashes);
        settings.flag("crashable", &self.crashable);
        settings.flag("crashed-at-start", &self.crashed_at_start);
        settings.flag("recoveries", &self.recoveries);
        settings.flag("crash-loses", &self.crash_loses);
        settings.flag("oracle", &self.oracle);
        settings.flag("property", &self.property);
        settings.flag("ltl", &self.ltl);
        settings.flag("fairness", &self.fairness);
        settings.flag("channel", &self.channel);
        settings.flag("order", &self.order);
        settings.flag("lanes", &self.lanes);
        settings.flag("loss", &self.loss);
        settings.flag("duplicate", &self.duplicate);
        settings.flag("time", &self.time);
        settings.flag("delay", &self.delay);
        settings.flag("round-trip", &self.round_trip);
        settings.flag("processing", &self.processing);
        settings.flag("simultaneous", &self.simultaneous);
        settings.flag("speed", &self.speed);
        settings.flag("synchrony", &self.synchrony);
        settings.flag("before-delay", &self.before_delay);
        settings.flag("before-loss", &self.before_loss);
        settings.flag("interleaving", &self.interleaving);
        settings.short("tmin", &self.tmin);
        settings.short("tmax", &self.tmax);
        settings.short("corrected", &self.corrected);
        settings.short("values", &self.values);
        for pair in &self.param {
            let origin = SettingOrigin::Argument(format!("--param {pair}"));
            let Some((name, text)) = pair.split_once('=') else {
                let why = "expected NAME=VALUE, such as round=2".to_string();
                return Err(Problem::Value { origin, why });
            };
            let given = RawValue { value: text.trim().to_string(), origin: origin.clone() };
            if let Some(other) = settings.params.insert(name.trim().to_string(), given) {
                let why = format!(
                    "{} says something about {} too; leave one of them out",
                    told(&other),
                    name.trim()
                );
                return Err(Problem::Value { origin, why });
            }
        }
        Ok(())
    }
}

/// Who gave a value, as a word of a sentence.
fn told(given: &RawValue) -> String {
    given.origin.to_string().trim_end_matches([':', ' ']).to_string()
}

impl SearchArgs {
    /// What these flags say.
    pub(crate) fn add_to(&self, settings: &mut RawSettings) {
        settings.flag("search", &self.search);
        settings.flag("symmetry", &self.symmetry);
        settings.flag("reduce", &self.reduce);
        settings.flag("seed", &self.seed);
        settings.flag("workers", &self.workers);
        settings.flag("max-depth", &self.max_depth);
        settings.flag("max-states", &self.max_states);
        settings.flag("max-memory", &self.max_memory);
        settings.flag("timeout", &self.timeout);
    }
}
