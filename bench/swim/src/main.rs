//! SWIM in virtual time: what an event, a simulated second and a member cost, for groups of several sizes; beside the crate
//! `foca`, which is SWIM as well, in a loop of the same kind.
//!
//! Every run is a process of its own, and the kernel says what it cost. Arguments are sizes; without any it takes 100, 1,000
//! and 10,000.

mod foca_loop;
mod own;

use std::error::Error;
use std::process::{Command, Stdio};
use std::time::Instant;
use wait4::Wait4;

/// A group and how long it is simulated, the same for both.
pub struct Load {
    /// The members, all of whom know all from the start.
    pub n: usize,
    /// The simulated seconds.
    pub seconds: u64,
}

/// The shortest delay of a message, in nanoseconds; the longest is three times that.
pub const DELAY: u64 = 500_000;

/// The share of messages that are lost.
pub const LOSS: f64 = 0.01;

/// What a run says of itself: the members that others declared dead wrongly, and the messages and timers that were handled.
pub struct Counted {
    /// The events.
    pub events: u64,
    /// The wrong declarations.
    pub mistakes: u64,
}

/// Those who are measured. Foca looks for each update in the whole list of members, so that a start with 10,000 members,
/// each of which knows all, is out of its reach.
const RUNS: [(&str, usize); 2] = [("watchkeeper", usize::MAX), ("foca", 2_000)];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [one, who, n, seconds] = args.as_slice()
        && one == "--one"
    {
        let load = Load { n: n.parse()?, seconds: seconds.parse()? };
        let Counted { events, mistakes } = match who.as_str() {
            "foca" => foca_loop::run(&load),
            _ => own::run(&load)?,
        };
        println!("{events} {mistakes}");
        return Ok(());
    }
    let sizes: Result<Vec<usize>, _> = args.iter().map(|text| text.parse()).collect();
    let sizes = Some(sizes?).filter(|sizes| !sizes.is_empty()).unwrap_or(vec![100, 1_000, 10_000]);
    println!(
        "| who | members | simulated s | events | wrongly dead | CPU s | events/CPU s | simulated s / wall s | KiB/member |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for n in sizes {
        for (who, most) in RUNS {
            if n <= most {
                println!("{}", row(who, n)?);
            }
        }
    }
    Ok(())
}

/// One run with its cost. What it costs to set the group up is measured by a run of no time, and taken off.
fn row(who: &str, n: usize) -> Result<String, Box<dyn Error>> {
    let seconds = (600_000 / n as u64).clamp(60, 1_200);
    let (_, empty) = measured(who, n, 0)?;
    let (output, whole) = measured(who, n, seconds)?;
    let counts: Vec<u64> = output.split_whitespace().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let [events, mistakes] = counts[..] else { return Err(format!("{who} said `{output}`").into()) };
    let (cpu, wall) = ((whole.cpu - empty.cpu).max(1e-9), (whole.wall - empty.wall).max(1e-9));
    Ok(format!(
        "| {who} | {n} | {seconds} | {events} | {mistakes} | {cpu:.1} | {:.0} | {:.1} | {:.1} |",
        events as f64 / cpu,
        seconds as f64 / wall,
        whole.peak as f64 / 1024.0 / n as f64,
    ))
}

struct Cost {
    cpu: f64,
    wall: f64,
    peak: u64,
}

fn measured(who: &str, n: usize, seconds: u64) -> Result<(String, Cost), Box<dyn Error>> {
    let start = Instant::now();
    let args = ["--one", who, &n.to_string(), &seconds.to_string()].map(String::from);
    let mut child = Command::new(std::env::current_exe()?).args(args).stdout(Stdio::piped()).spawn()?;
    let used = child.wait4()?;
    let wall = start.elapsed().as_secs_f64();
    let mut output = String::new();
    if let Some(mut out) = child.stdout.take() {
        std::io::Read::read_to_string(&mut out, &mut output)?;
    }
    if !used.status.success() {
        return Err(format!("{who} with {n} members: {}", used.status).into());
    }
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Ok((output, Cost { cpu, wall, peak: used.rusage.maxrss }))
}
