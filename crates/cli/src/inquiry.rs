//! One question about a plan: the spaces of which it is asked, one after the other where clients may ask different
//! things, and the one verdict that all of their answers make. It never says `holds` unless each of them does.

use crate::plan::Plan;
use crate::problem::Problem;
use crate::question::{Posed, Together, pose_for};
use crate::subject::{Clients, Params, Subject};
use watchkeeper_logic::{Outcome, Question, Verdict};
use watchkeeper_report::thousands;
use watchkeeper_space::Space;
use watchkeeper_world::{InStages, World, Worlds};

/// A question, and the spaces of which it is asked.
pub(crate) struct Inquiry {
    pub(crate) question: Question,
    /// Each with what clients ask there.
    pub(crate) spaces: Vec<(String, Box<dyn Space>)>,
}

/// The questions of a plan, for a protocol with these parameters.
pub(crate) fn inquiries<S: Subject>(
    protocol: &S,
    params: &Params,
    plan: &Plan,
    together: Together,
) -> Result<Vec<Inquiry>, Problem> {
    let mut all: Vec<Inquiry> = Vec::new();
    for clients in protocol.clients(plan.scenario.n, params)? {
        for (at, (question, space)) in searches(protocol, &clients, plan, together)?.into_iter().enumerate() {
            match all.get_mut(at) {
                Some(inquiry) => inquiry.spaces.push((clients.name.clone(), space)),
                None => all.push(Inquiry { question, spaces: vec![(clients.name.clone(), space)] }),
            }
        }
    }
    Ok(all)
}

/// The searches of a plan where clients ask this.
fn searches<S: Subject>(
    protocol: &S,
    clients: &Clients<S::Call>,
    plan: &Plan,
    together: Together,
) -> Result<Vec<(Question, Box<dyn Space>)>, Problem> {
    if !plan.unknown {
        let posed = pose_for(protocol, &clients.calls, plan, together)?.into_iter();
        return posed
            .map(|Posed { world, question }| {
                let space = searched(world, &question, plan)?;
                Ok((question, space))
            })
            .collect();
    }
    let mut families: Vec<(Question, Vec<World<S>>)> = Vec::new();
    for scenario in plan.scenarios() {
        let plan = Plan { scenario, ..plan.clone() };
        let posed = pose_for(protocol, &clients.calls, &plan, together)?;
        for (at, Posed { world, question }) in posed.into_iter().enumerate() {
            match families.get_mut(at) {
                Some((_, family)) => family.push(world),
                None => families.push((question, vec![world])),
            }
        }
    }
    families
        .into_iter()
        .map(|(question, worlds)| Ok((question, Box::new(Worlds::new(worlds)?) as Box<dyn Space>)))
        .collect()
}

/// The space of a question: the world in stages if the plan goes by stages and they decide the question, and else the
/// world.
fn searched<S: Subject>(
    world: World<S>,
    question: &Question,
    plan: &Plan,
) -> Result<Box<dyn Space>, Problem> {
    let Some(rules) = S::STAGES.filter(|_| plan.interleaving.stages) else {
        return Ok(Box::new(world));
    };
    let staged = InStages::new(world, rules)?;
    match staged.admits(&question.asked()) {
        Ok(()) => Ok(Box::new(staged)),
        Err(why) => {
            plan.interleaving.all_instead(&why)?;
            Ok(Box::new(staged.into_world()))
        }
    }
}

impl Inquiry {
    /// The verdict, where `ask` searches one space. Each space is gone when it has been searched; after a violation
    /// there is no further search.
    pub(crate) fn verdict(
        self,
        mut ask: impl FnMut(&dyn Space, &Question) -> Result<Verdict, Problem>,
    ) -> Result<Verdict, Problem> {
        let several = self.spaces.len() > 1;
        let names: Vec<String> = self.spaces.iter().map(|(name, _)| name.clone()).collect();
        let mut found: Option<Verdict> = None;
        let mut sizes = Vec::new();
        for (name, space) in self.spaces {
            let mut verdict = ask(&*space, &self.question)?;
            drop(space);
            sizes.push(format!("{name}: {}", thousands(verdict.stats.distinct_states)));
            if several && !verdict.holds() {
                verdict
                    .assumptions
                    .push(format!("this is the answer for {name}, one of {}", names.join("; ")));
            }
            if matches!(verdict.outcome, Outcome::Violated(_)) {
                return Ok(verdict);
            }
            // What one search could not find out does not hide what another one finds.
            found = Some(match found {
                None => verdict,
                Some(before) => before.and(verdict),
            });
        }
        let mut verdict = found.ok_or_else(|| Problem::Usage("no client asks anything".to_string()))?;
        if several && verdict.holds() {
            let unit = verdict.stats.unit.noun();
            verdict
                .assumptions
                .push(format!("one search after the other, with so many {unit}s: {}", sizes.join("; ")));
        }
        Ok(verdict)
    }
}
