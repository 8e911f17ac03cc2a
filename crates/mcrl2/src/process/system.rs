//! A specification made ready for a search: its sequential components with their points and summands, how they are composed,
//! and which of them can act together.

use super::branches::{Call, PointId, Points};
use super::composition::{Composition, NameBag};
use super::constants::constants;
use super::local_state::{ComponentState, StackFrame};
use super::model::{Operator, ProcKind, ResolvedModel, ResolvedProcess};
use super::model_error::ProcessError;
use super::offer::Signatures;
use super::summand::{Summand, summands};
use super::synchronisation::{Synchronisation, synchronisations};
use super::values::{DataSide, ProcessVariable, ValueId};
use std::collections::HashMap;

/// The most components.
const MOST: usize = 4096;

/// A sequential component.
#[derive(Debug)]
pub(crate) struct SequentialComponent {
    /// Its name in views and charts.
    pub(crate) name: String,
    pub(crate) initial: ComponentState,
    pub(crate) signatures: Signatures,
    /// For each of its multi-signatures the synchronisations that are looked up at this component.
    pub(crate) leads: Vec<Vec<usize>>,
}

/// All that is known before a search.
#[derive(Debug)]
pub(crate) struct ComposedSystem {
    pub(crate) model: ResolvedModel,
    pub(crate) points: Points,
    pub(crate) summands: Vec<Vec<Summand>>,
    pub(crate) composition: Composition,
    pub(crate) components: Vec<SequentialComponent>,
    pub(crate) synchronisations: Vec<Synchronisation>,
}

impl ComposedSystem {
    /// The system of a specification.
    pub(crate) fn new(model: ResolvedModel) -> Result<ComposedSystem, ProcessError> {
        let mut unfolding = Unfolding { model: &model, leaves: Vec::new(), chain: Vec::new() };
        let composition = unfolding.composition(&model.init, &Vec::new())?;
        let leaves = unfolding.leaves;
        let begins: Vec<(&ResolvedProcess, Vec<ProcessVariable>)> = (leaves.iter())
            .map(|leaf| (leaf.process, leaf.scope.iter().map(|(variable, _)| variable.clone()).collect()))
            .collect();
        let (mut points, calls) = Points::find(&model, &begins)?;
        let summands = summands(&mut points, &model.data)?;
        let mut numbers = HashMap::new();
        let mut components = Vec::new();
        for (leaf, call) in leaves.iter().zip(&calls) {
            let initial = initial(&model.data, call, &leaf.scope)?;
            let constants = constants(&model.data, &initial, &summands);
            let signatures = Signatures::new(&model, &constants, &summands, &mut numbers);
            let name = initial.text(&points, &model.data);
            let leads = vec![Vec::new(); signatures.all.len()];
            components.push(SequentialComponent { name, initial, signatures, leads });
        }
        let all: Vec<_> = components.iter().map(|component| component.signatures.all.clone()).collect();
        let span = model.init.span;
        let synchronisations = synchronisations(&composition, &all)
            .map_err(|error| ProcessError::Refused { why: error.to_string(), span })?;
        let mut system =
            ComposedSystem { model, points, summands, composition, components, synchronisations };
        system.choose_leads();
        Ok(system)
    }

    /// The bags of names that may be seen.
    pub(crate) fn seen(&self) -> Vec<NameBag> {
        let mut bags: Vec<NameBag> =
            self.synchronisations.iter().flat_map(|known| known.seen.iter().cloned()).collect();
        bags.sort_unstable();
        bags.dedup();
        bags
    }

    /// Looks up each synchronisation at the participant that probably has the most local states, so that tables by the others'
    /// states stay small.
    fn choose_leads(&mut self) {
        let weights: Vec<usize> = (self.components.iter())
            .map(|component| {
                let point = component.initial.frames.first().map(|frame| frame.point as usize);
                let parameters = point.map_or(0, |point| self.points.all[point].parameters.len());
                parameters * 8 + component.signatures.all.len()
            })
            .collect();
        for (number, synchronisation) in self.synchronisations.iter().enumerate() {
            let participants = synchronisation.participants.iter();
            let lead =
                participants.max_by_key(|(component, _)| (weights[*component], usize::MAX - component));
            if let Some(&(component, signature)) = lead {
                self.components[component].leads[signature].push(number);
            }
        }
    }
}

fn initial(
    data: &DataSide,
    call: &Call,
    scope: &[(ProcessVariable, ValueId)],
) -> Result<ComponentState, ProcessError> {
    let known = |variable: &ProcessVariable| {
        scope.iter().find(|(other, _)| other == variable).map(|(_, value)| *value)
    };
    let values: Vec<ValueId> =
        call.arguments.iter().map(|term| data.value_of(term, &known)).collect::<Result<_, _>>()?;
    Ok(ComponentState { frames: vec![StackFrame { point: call.point as PointId, values: values.into() }] })
}

/// A sequential component as it is written, and the values of the variables around it.
struct Leaf<'a> {
    process: &'a ResolvedProcess,
    scope: Vec<(ProcessVariable, ValueId)>,
}

struct Unfolding<'a> {
    model: &'a ResolvedModel,
    leaves: Vec<Leaf<'a>>,
    /// The processes that are being unfolded.
    chain: Vec<usize>,
}

impl<'a> Unfolding<'a> {
    fn composition(
        &mut self,
        process: &'a ResolvedProcess,
        scope: &Vec<(ProcessVariable, ValueId)>,
    ) -> Result<Composition, ProcessError> {
        match &process.kind {
            ProcKind::Parallel(parts) => {
                let parts = parts.iter().map(|part| self.composition(part, scope));
                Ok(Composition::Parallel(parts.collect::<Result<_, _>>()?))
            }
            ProcKind::Operator(operator, inner) => {
                let inner = Box::new(self.composition(inner, scope)?);
                Ok(match operator.clone() {
                    Operator::Hide(names) => Composition::Hide(names, inner),
                    Operator::Block(names) => Composition::Block(names, inner),
                    Operator::Allow(bags) => Composition::Allow(bags, inner),
                    Operator::Rename(names) => Composition::Rename(names, inner),
                    Operator::Communicate(rules) => Composition::Communicate(rules, inner),
                })
            }
            ProcKind::Call(called, arguments) if self.is_composed(*called, &mut Vec::new()) => {
                if self.chain.contains(called) {
                    return Err(ProcessError::Refused {
                        why: format!(
                            "{} runs beside itself without end: parallel composition inside of a recursion is not \
                             supported; write the components that there are side by side",
                            self.model.processes[*called].name
                        ),
                        span: process.span,
                    });
                }
                let known = |variable: &ProcessVariable| {
                    scope.iter().find(|(other, _)| other == variable).map(|(_, value)| *value)
                };
                let declared = &self.model.processes[*called];
                let mut inner = Vec::new();
                for (parameter, argument) in declared.parameters.iter().zip(arguments) {
                    inner.push((parameter.clone(), self.model.data.value_of(argument, &known)?));
                }
                self.chain.push(*called);
                let composition = self.composition(&declared.body, &inner)?;
                self.chain.pop();
                Ok(composition)
            }
            _ => {
                if self.leaves.len() == MOST {
                    let why = format!("there are more than {MOST} components side by side; write fewer");
                    return Err(ProcessError::Refused { why, span: process.span });
                }
                self.leaves.push(Leaf { process, scope: scope.clone() });
                Ok(Composition::Component(self.leaves.len() - 1))
            }
        }
    }

    /// Whether a process is made of components side by side, or an operator is around it.
    fn is_composed(&self, process: usize, seen: &mut Vec<usize>) -> bool {
        if seen.contains(&process) {
            return false;
        }
        seen.push(process);
        match &self.model.processes[process].body.kind {
            ProcKind::Parallel(_) | ProcKind::Operator(..) => true,
            ProcKind::Call(called, _) => self.is_composed(*called, seen),
            _ => false,
        }
    }
}
