//! States that leave the process: rows that one instance of a space writes and another one reads, whose ids are others. In
//! ticks or without time, in zones, in stages, up to renaming, folded, and beside a monitor.

use super::{Bench, Disagreement, Either};
use crate::ask::Minded;
use crate::engines::{Looks, question};
use crate::tally::{CaseTally, CompareMode};
use watchkeeper_core::Promises;
use watchkeeper_explore::{Collapsed, Monitored, Symmetric, retold};
use watchkeeper_logic::Monitor;
use watchkeeper_space::Space;
use watchkeeper_world::{Scenario, WorldTime};

/// The states of a case that are told, and how often some are told in damaged bytes.
const TOLD: usize = 40;
const DAMAGED: usize = 4;

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Bench<'_, P> {
    pub(super) fn parts(&self, tally: &mut CaseTally) -> Result<(), Disagreement> {
        if !self.scope.has(CompareMode::Parts) {
            return Ok(());
        }
        let dense: Vec<Scenario> = (self.scenarios.iter())
            .filter_map(|scenario| match scenario.time {
                WorldTime::Ticks(timing) => Some(scenario.clone().with_time(WorldTime::Dense(timing))),
                _ => None,
            })
            .collect();
        for scenarios in [self.scenarios, &dense[..]].into_iter().filter(|scenarios| !scenarios.is_empty()) {
            let looks = Looks::default();
            let twice =
                self.worlds(scenarios, &looks).and_then(|here| Ok((here, self.worlds(scenarios, &looks)?)));
            // Not every world in ticks has one in dense time.
            let Ok((here, there)) = twice else { continue };
            self.read_back(here.space(), there.space(), tally)?;
        }
        Ok(())
    }

    /// All spaces around a space, written here and read there.
    fn read_back(
        &self,
        here: &dyn Space,
        there: &dyn Space,
        tally: &mut CaseTally,
    ) -> Result<(), Disagreement> {
        let monitor: Option<Monitor> =
            self.case.asks.iter().find_map(|ask| question::<P>(here.shape(), self.props, ask).monitor);
        let seed = self.case.searches;
        let mut same = |name: &str, here: &dyn Space, there: &dyn Space| told(name, here, there, seed, tally);
        same("as it is", here, there)?;
        same("folded", &Collapsed::new(here), &Collapsed::new(there))?;
        if let Some(monitor) = &monitor {
            let (here, there) = (Monitored::new(here, monitor), Monitored::new(there, monitor));
            same("beside a monitor", &here, &there)?;
        }
        if let (Some(here), Some(there)) = (here.symmetry(), there.symmetry())
            && here.symmetries() > 1
        {
            let (here, there) = (Symmetric::new(here), Symmetric::new(there));
            same("up to renaming", &here, &there)?;
            same("up to renaming, folded", &Collapsed::new(&here), &Collapsed::new(&there))?;
        }
        Ok(())
    }
}

/// Tells the states of a space to another instance of it. Where ids were others, that counts as the other answer.
pub(super) fn told(
    name: &str,
    here: &dyn Space,
    there: &dyn Space,
    seed: u64,
    tally: &mut CaseTally,
) -> Result<(), Disagreement> {
    let mode = CompareMode::Parts;
    match retold(here, there, TOLD, (DAMAGED, seed)) {
        Ok(found) if found.renumbered > 0 => tally.of(mode).violated += 1,
        Ok(_) => tally.of(mode).holds += 1,
        Err(what) => return Err(Disagreement { mode, what: format!("{name}: {what}") }),
    }
    Ok(())
}

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> Either<P> {
    fn space(&self) -> &dyn Space {
        match self {
            Either::One(world) => &***world,
            Either::Many(worlds) => &**worlds,
        }
    }
}
