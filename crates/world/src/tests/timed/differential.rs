//! Ticks, zones and no time.

use super::draw::Draw;
use super::reach::{Reached, covering, exact};
use std::collections::BTreeSet;
use watchkeeper_core::Symmetry;

#[test]
fn experiment() {
    let env = |n: &str, d: usize| std::env::var(n).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
    let most = env("MOST", 4000);
    let verbose = env("VERBOSE", 0) > 0;
    let t0 = std::time::Instant::now();
    let (mut done, mut skipped, mut bad, mut strict, mut locks, mut lockbad) = (0, 0, 0, 0, 0, 0);
    let mut total = [0usize; 6];
    let mut times = [0f64; 6];
    for seed in 0..env("SEEDS", 400) as u64 {
        let draw = Draw::new(seed, Symmetry::None);
        let Some(u) = draw.untimed() else { continue };
        let mut rs = Vec::new();
        let df = draw.deliveries_first();
        let worlds = [draw.ticks(), draw.dense(), df.ticks(), df.dense()].map(|w| w.unwrap());
        let mut ok = true;
        for (i, w) in worlds.iter().enumerate() {
            let t = std::time::Instant::now();
            let r = exact(w, most);
            times[i] += t.elapsed().as_secs_f64();
            if verbose {
                println!(
                    "{seed} {i} {:?} n {} {:?} {:?}",
                    r.as_ref().map(|r| (r.rows.len(), r.states.len())),
                    draw.protocol.n,
                    draw.timing,
                    draw.network.channel().to_string()
                );
            }
            match r {
                None => {
                    ok = false;
                    break;
                }
                Some(r) => {
                    total[i] += r.rows.len();
                    rs.push(r)
                }
            }
        }
        if !ok {
            skipped += 1;
            continue;
        }
        let t = std::time::Instant::now();
        let c = covering(&worlds[1], most).unwrap();
        times[4] += t.elapsed().as_secs_f64();
        total[4] += c.rows.len();
        let t = std::time::Instant::now();
        let u = exact(&u, 20000);
        times[5] += t.elapsed().as_secs_f64();
        done += 1;
        let [a, b, c1, d] = &rs[..] else { panic!() };
        if a.states != b.states {
            bad += 1;
            println!("seed {seed}: ticks {} dense {}", a.states.len(), b.states.len());
        }
        if a.locked != b.locked {
            lockbad += 1;
            println!("seed {seed}: locks ticks {} dense {}", a.locked.len(), b.locked.len());
        }
        if b.states != c.states || b.locked != c.locked {
            println!("seed {seed}: covering differs");
        }
        if !c1.states.is_subset(&d.states) {
            println!("seed {seed}: df not subset");
        }
        if !c1.locked.is_subset(&d.locked) {
            println!("seed {seed}: df locks not subset");
        }
        if let Some(u) = &u {
            total[5] += u.rows.len();
            if !a.states.is_subset(&u.states) {
                println!("seed {seed}: not in untimed {:?}", draw.network);
            }
            if !d.states.is_subset(&u.states) {
                println!("seed {seed}: not in untimed df {:?}", draw.network);
            }
        }
        if c1.states.len() < d.states.len() {
            strict += 1
        }
        locks += usize::from(!a.locked.is_empty());
    }
    println!(
        "done {done} skipped {skipped} bad {bad} strict {strict} locks {locks} lockbad {lockbad} {total:?} {times:?} {:?}",
        t0.elapsed()
    );
    let _: Option<(&Reached, BTreeSet<u8>)> = None;
}
