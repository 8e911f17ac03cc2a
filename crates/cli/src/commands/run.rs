//! `run`: one node of a protocol, as a node file describes it, or a member of an open cluster, as flags do, until it is told
//! to end.

use crate::cluster::quoted;
use crate::command_line::CommandLine;
use crate::daemon::{Setup, configuration};
use crate::node_file::{self, Loaded, OPEN_NETWORK, proposal};
use crate::outputs::{print, to_stderr};
use crate::program::Program;
use crate::registry::ProtocolEntry;
use clap::Args;
use std::path::{Path, PathBuf};
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;

const MEMBER: &str = "Member of an open cluster";

/// What stands in place of the name of a node file where there is none.
const FLAGS: &str = "The flags";

/// One unit of time where nobody says otherwise.
const TICK: &str = "50ms";

/// All flags of `run`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RunArgs {
    /// The node file
    #[arg(long, short, value_name = "NODE.toml", required_unless_present_any = ["name", "protocol"], conflicts_with = "name")]
    config: Option<PathBuf>,

    /// Look at the whole file, say what would run and what that rests on, and run nothing
    #[arg(long)]
    check_config: bool,

    /// Record every step: into a file that ends in .ndjson, or into a directory, a new file for each start
    #[arg(long, value_name = "PATH")]
    record: Option<PathBuf>,

    /// What to propose, where the protocol decides on values; goes over the key `propose`
    #[arg(long, value_name = "VALUE")]
    propose: Option<String>,

    /// The protocol, for a node without a file
    #[arg(value_name = "PROTOCOL", requires = "name", help_heading = MEMBER)]
    protocol: Option<String>,

    /// What this node is called: no other member has the same name, and it is the same at every start
    #[arg(long, value_name = "NAME", requires = "bind", requires = "key_file", help_heading = MEMBER)]
    name: Option<String>,

    /// Where it listens for datagrams
    #[arg(long, value_name = "ADDRESS:PORT", requires = "name", help_heading = MEMBER)]
    bind: Option<String>,

    /// Whom it asks to join: a seed or any other member, or several
    #[arg(long, value_name = "ADDRESS:PORT,...", requires = "name", help_heading = MEMBER)]
    join: Option<String>,

    /// It is a seed: it founds the cluster, and gives numbers to those who join
    #[arg(long, requires = "name", help_heading = MEMBER)]
    seed: bool,

    /// Where others reach it, if that is not where it listens
    #[arg(long, value_name = "ADDRESS:PORT", requires = "name", help_heading = MEMBER)]
    advertise: Option<String>,

    /// The key that all members share, as `watchkeeper key` makes one
    #[arg(long, value_name = "FILE", requires = "name", help_heading = MEMBER)]
    key_file: Option<PathBuf>,

    /// The name of the cluster [default: the name of the protocol]
    #[arg(long, value_name = "NAME", requires = "name", help_heading = MEMBER)]
    cluster: Option<String>,

    /// How long one unit of the protocol's time lasts, the same on all members [default: 50ms]
    #[arg(long, value_name = "TIME", requires = "name", help_heading = MEMBER)]
    tick: Option<String>,

    /// How long it asks to join before it gives up; 0s for as long as it takes [default: 30s]
    #[arg(long, value_name = "TIME", requires = "name", help_heading = MEMBER)]
    gather: Option<String>,

    /// Where it can be asked over HTTP, on this machine
    #[arg(long, value_name = "ADDRESS:PORT", requires = "name", help_heading = MEMBER)]
    http: Option<String>,

    /// A parameter of the protocol; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "name", help_heading = MEMBER)]
    param: Vec<String>,
}

impl RunArgs {
    /// The node file that would say the same as the flags.
    fn text(&self, program: &Program) -> Result<String, Problem> {
        let mut out = String::new();
        let mut line = |name: &str, value: &str| out.push_str(&format!("{name} = {value}\n"));
        let only = program.entries.first().filter(|_| program.alone).map(|entry| entry.name().to_string());
        let Some(protocol) = self.protocol.clone().or(only) else {
            let open = program.entries.iter().filter(|entry| entry.outline().open.is_some());
            let open: Vec<&str> = open.map(|entry| entry.name()).collect();
            let why = format!("which protocol is to run? Write it after `run`, one of {}", open.join(", "));
            return Err(Problem::Usage(why));
        };
        line("protocol", &quoted(&protocol));
        OPEN_NETWORK.iter().for_each(|(name, text)| line(name, &quoted(text)));
        for pair in &self.param {
            let Some((name, value)) = pair.split_once('=') else {
                let origin = SettingOrigin::Argument(format!("--param {pair}"));
                return Err(origin.refused("expected NAME=VALUE, such as period=20"));
            };
            line(&format!("param.{}", quoted(name.trim())), &quoted(value.trim()));
        }
        out.push_str("\n[node]\n");
        let mut line = |name: &str, value: &str| out.push_str(&format!("{name} = {value}\n"));
        let cluster = self.cluster.clone().unwrap_or(protocol);
        let texts = [
            ("name", self.name.as_deref()),
            ("bind", self.bind.as_deref()),
            ("advertise", self.advertise.as_deref()),
            ("join", self.join.as_deref()),
            ("cluster", Some(cluster.as_str())),
            ("tick", Some(self.tick.as_deref().unwrap_or(TICK))),
            ("gather", self.gather.as_deref()),
            ("http", self.http.as_deref()),
        ];
        for (name, text) in texts {
            text.iter().for_each(|text| line(name, &quoted(text)));
        }
        if self.seed {
            line("seed", "true");
        }
        let key = self.key_file.as_deref().unwrap_or(Path::new(""));
        out.push_str(&format!("\n[[keys]]\nid = 1\nfile = {}\n", quoted(&key.display().to_string())));
        Ok(out)
    }

    /// What is to run.
    fn load<'a>(&self, program: &'a Program) -> Result<Loaded<'a>, Vec<Problem>> {
        match &self.config {
            Some(path) => node_file::read(path, program),
            None => {
                let text = self.text(program).map_err(|problem| vec![problem])?;
                let loaded = node_file::parse(Path::new(FLAGS), &text, program);
                loaded
                    .map_err(|problems| problems.into_iter().map(|problem| of_flag(&text, problem)).collect())
            }
        }
    }

    /// What is in order, and the command that checks it.
    fn checked_by(&self, program: &Program, entry: &ProtocolEntry) -> (String, String) {
        let Some(path) = &self.config else {
            let mut line = CommandLine::new(&program.name, &["check", entry.name()]);
            self.param.iter().for_each(|pair| line.flag("param", pair));
            OPEN_NETWORK.iter().for_each(|(name, text)| line.flag(name, text));
            return (format!("{FLAGS} are"), line.to_string());
        };
        let path = path.display().to_string();
        (format!("{path} is"), CommandLine::new(&program.name, &["check", &path]).to_string())
    }
}

/// Runs the node of a file.
pub(crate) fn run(program: &Program, args: &RunArgs) -> Result<ExitCode, Problem> {
    let Loaded { mut file, entry, node_plan } = match args.load(program) {
        Ok(loaded) => loaded,
        Err(problems) => return Ok(refused(&problems)),
    };
    if let Some(text) = &args.propose {
        let refused = |why| Problem::Value { origin: SettingOrigin::Argument("--propose".to_string()), why };
        let value = proposal(text).map_err(refused)?;
        let me = file.node.identity.process();
        file.node.propose = node_plan.proposal(me, Some(value)).map_err(refused)?;
    }
    let record = args.record.clone().or_else(|| file.node.record.clone());
    if args.check_config {
        let loaded = Loaded { file, entry, node_plan };
        let (source, check) = args.checked_by(program, entry);
        let text = configuration(&source, &check, &loaded, record.as_deref());
        print(&text)?;
        return Ok(ExitCode::HOLDS);
    }
    let again = || args.load(program).map(|loaded| loaded.file);
    let plan = node_plan.plan.clone();
    entry.serve(&plan, Setup { file, node_plan, record, again: &again })
}

/// The same problem, of the flag that a line of the text was made of.
fn of_flag(text: &str, problem: Problem) -> Problem {
    let flag = |origin: SettingOrigin| {
        let SettingOrigin::File(place) = &origin else { return origin };
        let line = text.lines().nth(place.line.saturating_sub(1)).unwrap_or_default();
        let (key, value) = line.split_once(" = ").unwrap_or_default();
        SettingOrigin::Argument(match key.strip_prefix("param.") {
            Some(param) => format!("--param {}", param.trim_matches('"')),
            None if key == "file" => format!("--key-file {value}"),
            None if key.is_empty() || key == "protocol" => String::new(),
            None if value == "true" => format!("--{key}"),
            None => format!("--{key} {}", value.trim_matches('"')),
        })
    };
    match problem {
        Problem::Value { origin, why } => Problem::Value { origin: flag(origin), why },
        Problem::Unknown { origin, what, name, known } => {
            Problem::Unknown { origin: flag(origin), what, name, known }
        }
        other => other,
    }
}

/// Tells all that is wrong with a file.
fn refused(problems: &[Problem]) -> ExitCode {
    let told: Vec<String> = problems.iter().map(|problem| format!("error: {problem}\n")).collect();
    to_stderr(&told.join("\n"));
    if problems.len() > 1 {
        to_stderr(&format!("\n{} problems; nothing was started\n", problems.len()));
    }
    ExitCode::BAD_INPUT
}
