//! Counts spaces of specifications, plainly.
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use watchkeeper_mcrl2::process::ProcessSpace;
use watchkeeper_mcrl2::syntax::parse_specification;
use watchkeeper_space::{Space, Successors, apply};

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let spec = match parse_specification(&text) {
            Ok(spec) => spec,
            Err(error) => {
                println!("{path}: PARSE {error}");
                continue;
            }
        };
        let space = match ProcessSpace::new(&spec) {
            Ok(space) => space,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let failure = space.failure();
        let began = Instant::now();
        let mut ids: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut queue = Vec::new();
        for row in space.initial() {
            ids.insert(row.clone(), 0);
            queue.push(row);
        }
        let (mut at, mut transitions, mut once, mut deadlocks) = (0, 0, 0, 0);
        let mut out = Successors::new();
        let max: usize = std::env::var("MAX").map_or(300_000, |m| m.parse().unwrap());
        let mut levels = vec![1usize];
        let mut end = 1;
        while at < queue.len() && queue.len() < max {
            if at == end {
                levels.push(queue.len());
                end = queue.len();
            }
            let row = queue[at].clone();
            at += 1;
            out.clear();
            space.expand(&row, &mut out);
            let mut seen = HashSet::new();
            for (action, edits) in out.iter() {
                let next = apply(&row, edits);
                transitions += 1;
                if std::env::var("SHOW").is_ok() {
                    println!("{:?} --{}--> {:?}", space_view(&space, &row), watchkeeper_space::Narration::label(&space, &row, action), space_view(&space, &next));
                }
                if seen.insert((action, next.clone())) {
                    once += 1;
                }
                let number = ids.len();
                ids.entry(next.clone()).or_insert_with(|| {
                    queue.push(next);
                    number
                });
            }
            if out.is_empty() {
                deadlocks += 1;
            }
        }
        let seconds = began.elapsed().as_secs_f64();
        let states = queue.len();
        if std::env::var("LEVELS").is_ok() {
            println!("{levels:?}");
        }
        let error = failure.error().map_or(String::new(), |error| format!(" ERROR {error}"));
        println!(
            "{path}: {states},{transitions},{deadlocks} once {once} size {:?} {seconds:.3} s {:.0}/s{error}",
            space.size(),
            states as f64 / seconds
        );
    }
}

fn space_view(space: &ProcessSpace, row: &[u32]) -> String {
    watchkeeper_space::Narration::view(space, row).iter().map(|(_, v)| format!("{v:?}")).collect::<Vec<_>>().join(" ")
}
