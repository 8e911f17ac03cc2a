//! Runs many cases and says how they came out; at the first disagreement says all that is needed to have it again, and ends
//! with exit code 1.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this tool is run by people, and tells them")]

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use strum::VariantArray;
use watchkeeper_differential::{
    CaseTally, CompareMode, CompareScope, Disagreement, RandomCase, compare, shrink,
};

const HELP: &str = "\
Random protocols, answered by a naive explorer and by every engine; any difference is told.

  --seed S        the seed of all cases (1)
  --cases N       how many cases (10000)
  --case K        only this one
  --from K        the first one (0)
  --only MODE     compare in this mode only: full, ticks, order, symmetry, stages, zones, liveness, limits or
                  parts;
                  may be given several times
  --workers N     the number of threads (one for each core)
  --timeout S     stop after so many seconds, without a complaint
  --most N        leave out cases with more states (250)
  --keep-going    tell every disagreement, not only the first

Exit code 0: no disagreement; 1: there is one; 150: bad input.";

/// What to run.
struct Job {
    seed: u64,
    from: u64,
    cases: u64,
    workers: usize,
    timeout: Option<Duration>,
    keep_going: bool,
    scope: CompareScope,
}

fn main() -> ExitCode {
    let job = match Job::read(std::env::args().skip(1)) {
        Ok(Some(job)) => job,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("{why}\n\n{HELP}");
            return ExitCode::from(150);
        }
    };
    if job.run() == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

impl Job {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Option<Job>, String> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let scope = CompareScope { only: Vec::new(), most: 250 };
        let mut job =
            Job { seed: 1, from: 0, cases: 10_000, workers, timeout: None, keep_going: false, scope };
        while let Some(word) = words.next() {
            let mut number = || -> Result<u64, String> {
                let value = words.next().ok_or_else(|| format!("{word} needs a number behind it"))?;
                value.parse().map_err(|_| format!("{word} needs a number behind it, not `{value}`"))
            };
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--seed" => job.seed = number()?,
                "--cases" => job.cases = number()?,
                "--from" => job.from = number()?,
                "--case" => (job.from, job.cases) = (number()?, 1),
                "--workers" => job.workers = number()?.max(1) as usize,
                "--timeout" => job.timeout = Some(Duration::from_secs(number()?)),
                "--most" => job.scope.most = number()? as usize,
                "--keep-going" => job.keep_going = true,
                "--only" => {
                    let mode = words.next().ok_or("--only needs a mode behind it")?;
                    let unknown = |_| {
                        let modes = CompareMode::VARIANTS.iter().map(CompareMode::to_string);
                        format!(
                            "`{mode}` is not compared: write one of {}",
                            modes.collect::<Vec<_>>().join(", ")
                        )
                    };
                    job.scope.only.push(mode.parse().map_err(unknown)?);
                }
                other => return Err(format!("`{other}` is not an option")),
            }
        }
        Ok(Some(job))
    }

    /// Runs all cases; returns how many disagreements there are.
    fn run(&self) -> u64 {
        let (next, wrong, stop) = (AtomicU64::new(self.from), AtomicU64::new(0), AtomicBool::new(false));
        let total = Mutex::new(CaseTally::default());
        let begun = Instant::now();
        std::thread::scope(|threads| {
            for _ in 0..self.workers {
                threads.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let mut tally = CaseTally::default();
                        let first = next.fetch_add(64, Ordering::Relaxed);
                        for number in
                            (first..first + 64).take_while(|&number| number < self.from + self.cases)
                        {
                            if let Err(disagreement) = self.one(number, &mut tally) {
                                self.tell(number, &disagreement);
                                wrong.fetch_add(1, Ordering::Relaxed);
                                stop.fetch_or(!self.keep_going, Ordering::Relaxed);
                            }
                            if stop.load(Ordering::Relaxed) {
                                break;
                            }
                        }
                        total.lock().expect("nobody panics here").join(&tally);
                        if first + 64 >= self.from + self.cases {
                            return;
                        }
                    }
                });
            }
            threads.spawn(|| self.watch(begun, &next, &stop, &total));
        });
        let tally = total.into_inner().expect("nobody panics there");
        let (wrong, seconds) = (wrong.into_inner(), begun.elapsed().as_secs_f64());
        let drawn = tally.cases + tally.large + tally.impossible;
        println!("seed {}: {drawn} cases drawn in {seconds:.0} s, {wrong} disagreements", self.seed);
        println!("{tally}");
        wrong
    }

    /// A case, and an accident of the engines as a disagreement like any other.
    fn one(&self, number: u64, tally: &mut CaseTally) -> Result<(), Disagreement> {
        let case = RandomCase::draw(self.seed, number);
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compare(&case, &self.scope, tally)));
        outcome.unwrap_or_else(|_| {
            Err(Disagreement { mode: CompareMode::Full, what: "something panicked, see above".to_string() })
        })
    }

    fn tell(&self, number: u64, disagreement: &Disagreement) {
        let case = RandomCase::draw(self.seed, number);
        eprintln!("\ndisagreement in case {number} of seed {}\n{disagreement}\n\n{case}", self.seed);
        if !disagreement.what.contains("panicked") && !case.is_ladder() {
            let (smaller, still) = shrink(&case, disagreement, &self.scope);
            eprintln!("made smaller:\n{still}\n\n{smaller}");
        }
        eprintln!(
            "again: cargo run --release -p watchkeeper-differential -- --seed {} --case {number} --most {}",
            self.seed, self.scope.most
        );
    }

    /// Says how far it is, and ends it when its time is over.
    fn watch(&self, begun: Instant, next: &AtomicU64, stop: &AtomicBool, total: &Mutex<CaseTally>) {
        let mut told = begun;
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let done = next.load(Ordering::Relaxed).saturating_sub(self.from).min(self.cases);
            if done >= self.cases || stop.load(Ordering::Relaxed) {
                return;
            }
            if self.timeout.is_some_and(|most| begun.elapsed() > most) {
                stop.store(true, Ordering::Relaxed);
                return;
            }
            if told.elapsed() > Duration::from_secs(10) {
                told = Instant::now();
                let rate = done as f64 / begun.elapsed().as_secs_f64();
                eprintln!("{done} of {} cases, {rate:.0} a second", self.cases);
                eprintln!("{}", total.lock().expect("nobody panics there"));
            }
        }
    }
}
