//! Runs this project, Spin and Stateright on one model, makes sure that they count the same states, and
//! compares what that cost each of them. On request it also measures what this project pays for dense time, or
//! compares answers about infinite runs, or measures what leaving out interleavings saves.

mod child;
mod contest;
mod failure;
mod figures;
mod host;
mod json;
#[cfg(test)]
mod known;
mod liveness;
mod local;
mod options;
mod peers;
mod reduction;
mod report;
mod ring;
mod scratch;
mod zones;

use contest::{Entry, Role};
use failure::Failure;
use liveness::Liveness;
use options::{Options, Request};
use peers::spin::Spin;
use peers::stateright::Stateright;
use peers::watchkeeper::{LARGE_STATES, Watchkeeper};
use reduction::Reductions;
use report::Report;
use scratch::Scratch;
use std::path::Path;
use std::process::ExitCode;
use zones::Zones;

fn main() -> ExitCode {
    match options::parse(std::env::args().skip(1)).and_then(serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

fn serve(request: Request) -> Result<(), Failure> {
    match request {
        Request::Help => print!("{}", options::HELP),
        Request::Stateright { buffer } => println!("{}", peers::stateright::search(buffer)),
        Request::Live(task) => println!("{}", task.search()?),
        Request::Compare(options) => compare(options)?,
        Request::Liveness(options) => live(&options)?,
        Request::Reduction(options) => reduce(&options)?,
    }
    Ok(())
}

fn compare(options: Options) -> Result<(), Failure> {
    if cfg!(debug_assertions) && options.runs > 0 && options.wants("stateright") {
        eprintln!("warning: without --release the figures for Stateright mean nothing");
    }
    let scratch = Scratch::create()?;
    let mut report = Report {
        date: host::today(),
        host: host::Host::look(options.host.as_deref()),
        entries: Vec::new(),
        large: None,
        zones: None,
        options,
    };
    let options = &report.options;
    let program = if (options.runs > 0 && options.wants("watchkeeper")) || options.large || options.zones {
        eprintln!("building watchkeeper");
        Some(Watchkeeper::build()?)
    } else {
        None
    };
    if options.runs > 0 {
        report.entries = prepare(options, program.as_deref(), scratch.path())?;
        contest::hold(&mut report.entries, options.runs, |line| eprintln!("{line}"))?;
    }
    // What fails from here on does not take the comparison with it.
    let mut outcome = Ok(());
    if let (true, Some(program)) = (options.large, &program) {
        match large(program, scratch.path()) {
            Ok(entry) => report.large = Some(entry),
            Err(failure) => outcome = Err(failure),
        }
    }
    if let (true, Some(program)) = (options.zones, &program) {
        match Zones::measure(program, scratch.path(), options.zone_rounds(), |line| eprintln!("{line}")) {
            Ok(zones) => report.zones = Some(zones),
            Err(failure) => outcome = outcome.and(Err(failure)),
        }
    }
    if report.is_empty() {
        return outcome;
    }
    print!("{}", report.text());
    let path = report.save()?;
    eprintln!("written to {}", path.display());
    outcome
}

fn live(options: &Options) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        eprintln!("warning: without --release the figures for this project mean nothing");
    }
    let scratch = Scratch::create()?;
    let found = Liveness::measure(options, scratch.path(), |line| eprintln!("{line}"))?;
    let (date, host) = (host::today(), host::Host::look(options.host.as_deref()));
    let text = report::heading(&date, &host) + &found.text();
    print!("{text}");
    let mut json = found.json();
    json["date"] = date.clone().into();
    json["host"] = report::host_json(&host);
    let path = report::save(&options.out, &format!("{date}-{}-liveness", host.name), &text, &json)?;
    eprintln!("written to {}", path.display());
    Ok(())
}

fn reduce(options: &Options) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        eprintln!("warning: without --release the seconds mean nothing");
    }
    let found = Reductions::measure(|line| eprintln!("{line}"))?;
    let (date, host) = (host::today(), host::Host::look(options.host.as_deref()));
    let text = report::heading(&date, &host) + &found.text();
    print!("{text}");
    let mut json = found.json();
    json["date"] = date.clone().into();
    json["host"] = report::host_json(&host);
    let path = report::save(&options.out, &Reductions::stem(&date, &host), &text, &json)?;
    eprintln!("written to {}", path.display());
    Ok(())
}

fn prepare(options: &Options, program: Option<&Path>, scratch: &Path) -> Result<Vec<Entry>, Failure> {
    let buffer = options.buffer;
    let mut entries = Vec::new();
    if let (true, Some(program)) = (options.wants("watchkeeper"), program) {
        let one = Watchkeeper::comparison(program, scratch, buffer, 1);
        let two = Watchkeeper::comparison(program, scratch, buffer, 2);
        entries.push(Entry::new(Role::Own, one));
        entries.push(Entry::new(Role::OwnTwoWorkers, two));
    }
    if options.wants("spin") {
        eprintln!("preparing Spin, with one search that is not measured");
        entries.push(Entry::new(Role::Peer, Spin::prepare(buffer, scratch)?));
    }
    if options.wants("stateright") {
        entries.push(Entry::new(Role::Peer, Stateright::prepare(buffer, scratch)?));
    }
    Ok(entries)
}

fn large(program: &Path, scratch: &Path) -> Result<Entry, Failure> {
    eprintln!("the large run, which takes minutes and several GiB");
    let mut entry = Entry::new(Role::Own, Watchkeeper::large(program, scratch));
    let run = entry.peer.run()?;
    if run.states != LARGE_STATES {
        let counts = format!("  {}: {}\n  published: {LARGE_STATES}", entry.peer.name(), run.states);
        return Err(Failure::Disagreement(counts));
    }
    entry.runs.push(run);
    Ok(entry)
}
