//! Protocols alone in simulated clusters: runs are functions of their plans, they follow the model where nothing goes wrong,
//! and where something does, the replay names what really was broken.

mod subjects;

use subjects::{chandra_toueg, ring, scope, verdict};
use watchkeeper_sim::{FaultFamily, Nemesis, SimulationDepth, simulate};

#[test]
fn a_run_is_a_function_of_its_plan() {
    let subject = ring(4);
    let all = Nemesis::new(FaultFamily::ALL.iter().copied().filter(|family| family.concerns_bare()));
    for seed in 0..20 {
        let plan = all.draw(seed, &scope(&subject));
        assert_eq!(
            simulate(&subject, &plan, SimulationDepth::Bare),
            simulate(&subject, &plan, SimulationDepth::Bare)
        );
    }
}

#[test]
fn where_nothing_goes_wrong_runs_follow_the_model_and_nobody_is_suspected() {
    for subject in [ring(5), chandra_toueg(4)] {
        for seed in 0..40 {
            let verdict = verdict(&subject, &Nemesis::new([]), seed, SimulationDepth::Bare);
            assert_eq!((verdict.broken, verdict.asked), (None, 1), "seed {seed}");
        }
    }
}

#[test]
fn whatever_goes_wrong_is_named_as_what_it_was() {
    for subject in [ring(5), chandra_toueg(4)] {
        for &family in FaultFamily::ALL.iter().filter(|family| family.concerns_bare()) {
            let nemesis = Nemesis::new([family]);
            let named: Vec<_> = (0..60)
                .filter_map(|seed| verdict(&subject, &nemesis, seed, SimulationDepth::Bare).broken)
                .collect();
            let expected = match family {
                FaultFamily::Delay => "delay",
                FaultFamily::Loss | FaultFamily::Partition => "loss",
                FaultFamily::Stall => "speed",
                _ => continue,
            };
            assert!(named.contains(&expected), "{family}: {named:?}");
        }
    }
}
