//! `explore`: a page in the browser on which a person steps through a protocol, sees verdicts and their runs, and opens
//! what others found.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::commands::check::named;
use crate::outputs::{print, to_stderr};
use crate::page::{
    ExplorerSite, PageScenario, PageServer, PageStart, StaticExport, export, fragment, import_files, of_link,
    opened,
};
use crate::program::Program;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use watchkeeper::{Problem, SettingOrigin, Settings};
use watchkeeper_logic::ExitCode;

const PAGE: &str = "Page";

/// All flags of `explore`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    search: SearchArgs,

    /// The port of the page on the loopback interface [default: a free one]
    #[arg(long, value_name = "PORT", help_heading = PAGE)]
    port: Option<String>,

    /// Serve nothing, but write a folder that opens from disk, to attach to a bug report: the run of a link or of a file,
    /// or else the counterexample of a check
    #[arg(long, value_name = "DIR", help_heading = PAGE)]
    export: Option<PathBuf>,
}

/// What is opened first, and the part of its address that says how.
#[derive(Default)]
struct Opened {
    start: PageStart,
    fragment: String,
    run: Option<String>,
    times: Option<String>,
    only: Option<String>,
    lap: Option<usize>,
    clients: usize,
}

/// Serves the page until the user has had enough, or writes it.
pub(crate) fn run(program: &Program, args: &ExploreArgs) -> Result<ExitCode, Problem> {
    let opened = first(program, args)?;
    if let Some(directory) = &args.export {
        return exported(program, &opened, directory);
    }
    // A scenario that is refused is refused here, and not on the page.
    if let Some(scenario) = opened.start.scenario.as_ref().filter(|_| opened.start.imported.is_none()) {
        scenario.planned(program)?.opened()?;
    }
    let server = PageServer::bind(port(args.port.as_deref(), "--port")?, "--port")?;
    print(&format!("{}\n", server.address(&opened.fragment)))?;
    to_stderr("Open this address in a browser of this machine; Ctrl-C ends it.\n");
    let site = Arc::new(ExplorerSite::new(program.clone(), opened.start));
    let served = server.serve(Arc::clone(&site) as Arc<_>, || false);
    site.end();
    served.map(|()| ExitCode::HOLDS)
}

/// What the arguments name: a protocol, a scenario file, a link, or a file with a run.
fn first(program: &Program, args: &ExploreArgs) -> Result<Opened, Problem> {
    let plain = |start: PageStart, fragment| Opened { start, fragment, ..Opened::default() };
    let name = args.scenario.scenario.as_deref();
    if let Some(link) = name.filter(|name| name.contains('#')) {
        refuse_flags(args, "a link says the whole scenario")?;
        let wrong = || {
            let origin = SettingOrigin::Argument(link.to_string());
            origin.refused("this is no link of an explorer; copy the whole address, in quotation marks")
        };
        let (scenario, page) = of_link(link).ok_or_else(wrong)?;
        let part = |key: &str| page.iter().find(|(name, _)| name == key).map(|(_, text)| text.as_str());
        let number = |key: &str| part(key).and_then(|text| text.parse::<usize>().ok());
        return Ok(Opened {
            fragment: fragment(&scenario, &page),
            run: part("run").map(str::to_string),
            times: part("times").map(str::to_string),
            only: part("only").map(str::to_string),
            lap: number("loop"),
            clients: number("clients").unwrap_or(0),
            start: PageStart { scenario: Some(scenario), imported: None },
        });
    }
    let known = name.is_some_and(|name| program.entries.iter().any(|entry| entry.name() == name));
    let file = name
        .map(Path::new)
        .filter(|path| !known && path.exists() && path.extension() != Some("toml".as_ref()));
    if let Some(path) = file {
        refuse_flags(args, "a file with a run says the whole scenario")?;
        let imported = import_files(program, path)?;
        let answer = &imported.answer;
        let (run, lap) = (answer["run"].as_str().map(str::to_string), answer["loop"].as_u64());
        let settings = answer["settings"].as_object().into_iter().flatten();
        let settings =
            settings.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_string()))).collect();
        let scenario =
            answer["protocol"].as_str().map(|protocol| PageScenario { protocol: protocol.into(), settings });
        let clients = answer["clients"].as_u64().and_then(|k| usize::try_from(k).ok()).unwrap_or(0);
        let lap = lap.and_then(|lap| usize::try_from(lap).ok());
        let start = PageStart { scenario, imported: Some(imported) };
        return Ok(Opened { start, run, lap, clients, ..Opened::default() });
    }
    if name.is_none() && !program.alone {
        refuse_flags(args, "the page asks for the scenario")?;
        return Ok(plain(PageStart::default(), String::new()));
    }
    if let Some(name) = name.filter(|name| !known && !name.ends_with(".toml") && is_path(name)) {
        let origin = SettingOrigin::Argument(name.to_string());
        return Err(origin.refused("there is no such file, and no such protocol; name a file that is there"));
    }
    let (entry, given) = named(program, &args.scenario, &args.search, "explore")?;
    let scenario = PageScenario::given(entry, &given);
    let fragment = scenario.fragment();
    Ok(plain(PageStart { scenario: Some(scenario), imported: None }, fragment))
}

/// Refuses flags of a scenario where they would be forgotten, and says why they would.
fn refuse_flags(args: &ExploreArgs, why: &str) -> Result<(), Problem> {
    let flags = args.search.settings().over(args.scenario.model_settings()?);
    let row = Settings::TABLE.iter().find_map(|row| flags.given(row.name));
    match row.or(flags.params.values().next()) {
        None => Ok(()),
        Some(given) => Err(given.refused(format!("{why}; leave this out, or name a protocol"))),
    }
}

/// Whether a name is meant for a file.
fn is_path(name: &str) -> bool {
    name.contains(['/', '.', std::path::MAIN_SEPARATOR])
}

/// A port of a flag.
pub(crate) fn port(text: Option<&str>, flag: &str) -> Result<Option<u16>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let port = text.trim().parse().ok().filter(|port| *port > 0);
    let wrong = || {
        SettingOrigin::Argument(flag.to_string()).refused(format!("`{text}` is not a port; write 1 to 65535"))
    };
    port.map(Some).ok_or_else(wrong)
}

fn exported(program: &Program, first: &Opened, directory: &Path) -> Result<ExitCode, Problem> {
    let Some(scenario) = &first.start.scenario else {
        let why = "--export writes one run: name a protocol with a property, a link or a file with a run";
        return Err(Problem::Usage(why.to_string()));
    };
    let wanted = StaticExport {
        scenario,
        run: first.run.as_deref(),
        lap: first.lap,
        clients: first.clients,
        times: first.times.as_deref(),
        only: first.only.as_deref(),
    };
    let about = ExplorerSite::new(program.clone(), PageStart::default()).program(serde_json::Value::Null);
    let open = |explorer: &watchkeeper_web::Explorer, scenario: &PageScenario, clients: usize| {
        let open = opened(program, explorer, scenario, clients)?;
        let number =
            open["space"].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default();
        Ok((about.clone(), open, number))
    };
    let files = export(program, open, &wanted, directory)?;
    print(&format!("{}: {}\n", directory.display(), files.join(", ")))?;
    Ok(ExitCode::HOLDS)
}
