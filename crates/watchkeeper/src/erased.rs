//! A protocol whose type is forgotten: what a person reads of it, the plan that settings make of it, and the spaces that
//! a plan is searched in. This is where the type of a protocol is last known, and it does no searching.

use crate::description::{Described, Description, Live, RestsOn};
use crate::detector_property::impatient;
use crate::explored::{ExploredSpace, explored};
use crate::interleaving::InterleavingPlan;
use crate::known_properties::{properties, usually_asked};
use crate::params::{Param, Params, ProtocolForm, TunedParams};
use crate::plan::{CheckPlan, ProtocolDefaults, ReportOptions, size};
use crate::pose::{JointSearch, pose, suspecting};
use crate::problem::Problem;
use crate::query::{Query, SearchedSpace};
use crate::regions::{BOUND, RegionQuestion};
use crate::settings::Settings;
use crate::{measured, simulated};
use watchkeeper_core::Trace;
use watchkeeper_protocols::detection::Staggered;
use watchkeeper_regions::Model;
use watchkeeper_sim::SimulatedSubject;
use watchkeeper_sim::quality::MeasuredSubject;
use watchkeeper_world::{
    Conformance, CutoffReport, Deviation, Faults, RecordedPart, RecordedRun, Scenario, TypedWorld, Worlds,
    membership,
};

/// A protocol that can be asked.
pub trait ErasedProtocol: Send + Sync {
    /// What a person reads of it.
    fn outline(&self) -> &ProtocolOutline;

    /// What these settings ask for.
    fn plan(&self, settings: &Settings) -> Result<CheckPlan, Problem>;

    /// The questions of a plan, each with its spaces.
    fn pose(&self, plan: &CheckPlan, together: JointSearch) -> Result<Vec<Query>, Problem>;

    /// The spaces of a plan for a person to step through, one for each way in which clients may ask.
    fn explored(&self, plan: &CheckPlan) -> Result<Vec<ExploredSpace>, Problem>;

    /// The Rust type of the protocol, as a path.
    fn rust_type(&self) -> &'static str;

    /// The space of which the classes of failure detectors are asked, and how long a process may come to wait for
    /// another where timeouts grow: for each there is an atom that tells who suspects wrongly in spite of it.
    fn suspecting(&self, plan: &CheckPlan) -> Result<(SearchedSpace, Vec<u32>), Problem>;

    /// Holds a recorded run against it. Faults are as many as happened, but for the limits that the run has.
    fn follow(&self, plan: &CheckPlan, run: &mut RecordedRun) -> Result<Replayed, Problem>;

    /// Tells a part of a recorded run, and asks nothing of it.
    fn tell(&self, plan: &CheckPlan, part: &RecordedPart) -> Result<Trace, Problem>;

    /// Holds it, in those of the systems of these sizes that it can have, or else in its usual one, against the class
    /// of protocols of which two processes are enough, looking at so many local states at most.
    fn cutoff(&self, settings: &Settings, sizes: &[usize], most: u64) -> Result<CutoffReport, Problem>;

    /// What a running node has to know.
    fn running(&self, plan: &CheckPlan) -> Result<NodeProfile, Problem>;

    /// What a simulation needs, with so many nanoseconds to a unit of time.
    fn simulated(&self, plan: &CheckPlan, tick: u64) -> Result<SimulatedSubject, Problem>;

    /// What a measurement of the quality of service needs, with so many nanoseconds to a unit of time.
    fn measured(&self, settings: &Settings, tick: u64) -> Result<MeasuredSubject, Problem>;

    /// The properties of which the regions are asked where nobody names one; `None` if its durations are numbers.
    fn parametric(&self, question: &RegionQuestion) -> Option<Vec<String>>;

    /// The models of a question about the regions of a property.
    fn models(&self, question: &RegionQuestion, property: &str) -> Result<Vec<Model>, Problem>;
}

/// A recorded run that follows the model, or where it does not.
pub type Replayed = Result<Conformance, Box<Deviation>>;

/// What a person reads of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProtocolOutline {
    /// Its name, what it is, and how many there may be of what it counts.
    pub form: ProtocolForm,
    /// What its number counts.
    pub counted: &'static str,
    /// The parameters that its name leaves open.
    pub params: Vec<Param>,
    /// Which of them are durations.
    pub durations: Vec<&'static str>,
    /// Which of them are chosen for a target.
    pub tuned: Option<TunedParams>,
    /// The names of its properties, with what they say.
    pub properties: Vec<(&'static str, &'static str)>,
    /// Whether it is a failure detector.
    pub suspects: bool,
    /// Whether a symmetry reduction is made wherever it is possible and nobody says otherwise.
    pub symmetric: bool,
    /// Whether a failure detector tells it whom to suspect, so that an oracle can stand below it.
    pub oracle: bool,
    /// Whether its steps are in stages.
    pub stages: bool,
    /// If nodes may join while it runs: the parameter that says so, and its value.
    pub open: Option<(&'static str, &'static str)>,
}

impl ProtocolOutline {
    /// Whether an oracle can stand below it.
    pub fn hears_oracle(&self) -> bool {
        self.oracle
    }

    /// Whether its steps are in stages.
    pub fn has_stages(&self) -> bool {
        self.stages
    }
}

/// What a running node has to know of its protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeProfile {
    /// Which properties rest on what a node can measure.
    pub promises: Vec<RestsOn>,
    /// What processes propose, where they decide on values.
    pub proposals: Option<Proposals>,
    /// Whether a process that has crashed may start again.
    pub restarts: bool,
    /// Whether it takes what it is sent in its own order, or asks an oracle, so that it is only a model.
    pub model: bool,
    /// The protocol that runs in its place.
    pub instead: Option<&'static str>,
    /// Why there is nothing to run, for a protocol that is only checked.
    pub only_checked: Option<&'static str>,
}

/// What the processes of a consensus protocol propose, and within which limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposals {
    /// What each proposes where nobody says otherwise; nothing where the parameters leave it open.
    pub usual: Vec<u64>,
    /// Only values below this can be decided.
    pub domain: Option<u64>,
    /// How many processes may crash while the others still decide.
    pub crashes: usize,
}

/// A protocol whose type is known: by one of its names, or as a value.
pub struct NamedProtocol<P: Described> {
    description: Description<P>,
    outline: ProtocolOutline,
    value: Option<P>,
}

impl<P: Described> NamedProtocol<P> {
    /// The protocol under each of its names.
    pub fn all() -> Vec<NamedProtocol<P>> {
        P::description().all_forms().into_iter().map(|form| NamedProtocol::under(form, None)).collect()
    }

    /// A protocol that is there already.
    pub fn value(protocol: P) -> NamedProtocol<P> {
        NamedProtocol::under(P::description().alone(), Some(protocol))
    }

    fn under(form: ProtocolForm, value: Option<P>) -> NamedProtocol<P> {
        let description = P::description();
        let outline = ProtocolOutline {
            form,
            counted: description.counted,
            params: description.params.iter().filter(|param| !form.settles(param.name)).copied().collect(),
            durations: description.durations.clone(),
            tuned: description.tuned,
            properties: properties(&description),
            suspects: description.suspects(),
            symmetric: description.symmetric,
            oracle: false,
            stages: description.stages.is_some(),
            open: description.live.open,
        };
        let mut typed = NamedProtocol { description, outline, value };
        let usual = typed.plan(&Settings::default());
        typed.outline.oracle = usual.is_ok_and(|plan| plan.scenario.oracle.is_some());
        typed
    }

    /// What a running node has to know.
    pub fn live(&self) -> &Live<P> {
        &self.description.live
    }

    /// The protocol of a plan.
    pub fn protocol(&self, plan: &CheckPlan) -> Result<P, Problem> {
        self.built(plan.usual.n, &plan.params)
    }

    fn built(&self, n: usize, params: &Params) -> Result<P, Problem> {
        self.value.clone().map_or_else(|| (self.description.build)(n, params), Ok)
    }

    fn size(&self, settings: &Settings) -> Result<usize, Problem> {
        let ProtocolForm { processes, sizes, .. } = self.outline.form;
        size(&settings.n, processes, sizes, self.outline.counted)
    }
}

impl<P: Described> ErasedProtocol for NamedProtocol<P> {
    fn outline(&self) -> &ProtocolOutline {
        &self.outline
    }

    fn plan(&self, settings: &Settings) -> Result<CheckPlan, Problem> {
        let description = &self.description;
        let n = self.size(settings)?;
        let params = Params::of(&description.params, &self.outline.form, settings)?;
        let protocol = self.built(n, &params)?;
        let scenario = (description.environment)(&protocol, n);
        let mut plan =
            CheckPlan::of(settings, ProtocolDefaults { n, scenario, asked: usually_asked(description) })?;
        plan.interleaving =
            InterleavingPlan::of(description, &protocol, &plan.scenario, &settings.interleaving)?;
        // What clients ask is read here, so that everybody refuses the same.
        (description.clients)(&protocol, plan.scenario.n, &params)?;
        plan.report_options = ReportOptions {
            symmetric: plan.is_symmetric(description.symmetric),
            absent: (description.absent)(&protocol),
            cautions: (description.cautions)(&protocol, &plan.scenario),
        };
        plan.name = self.outline.form.name;
        plan.params = params;
        Ok(plan)
    }

    fn pose(&self, plan: &CheckPlan, together: JointSearch) -> Result<Vec<Query>, Problem> {
        let protocol = self.protocol(plan)?;
        match plan.stagger {
            0 => pose(&self.description, &protocol, plan, together),
            within => pose(&Staggered::description(), &Staggered::new(protocol, within), plan, together),
        }
    }

    fn explored(&self, plan: &CheckPlan) -> Result<Vec<ExploredSpace>, Problem> {
        let protocol = self.protocol(plan)?;
        match plan.stagger {
            0 => explored(&self.description, &protocol, plan),
            within => explored(&Staggered::description(), &Staggered::new(protocol, within), plan),
        }
    }

    fn rust_type(&self) -> &'static str {
        std::any::type_name::<P>()
    }

    fn suspecting(&self, plan: &CheckPlan) -> Result<(SearchedSpace, Vec<u32>), Problem> {
        let (n, protocol) = (plan.scenario.n, self.protocol(plan)?);
        // Until a network stabilises no timeout is long enough, so none can be named.
        let eventual = plan.scenario.time.timing().is_some_and(|timing| timing.before().is_some());
        let patience = self.description.detector.and_then(|detector| detector.patience);
        let waits =
            patience.filter(|_| !eventual).map_or(Vec::new(), |patience| (patience.all)(&protocol, n));
        let worlds = plan.scenarios().into_iter().map(|scenario| {
            let world = TypedWorld::new(protocol.clone(), scenario)?;
            let world = suspecting(&self.description, world, n);
            Ok(waits.iter().fold(world, |world, &most| impatient(&self.description, world, n, most)))
        });
        let mut worlds = worlds.collect::<Result<Vec<_>, Problem>>()?;
        let space: SearchedSpace = match worlds.len() {
            1 => Box::new(worlds.remove(0).into_world()),
            _ => Box::new(Worlds::new(worlds)?),
        };
        Ok((space, waits))
    }

    fn follow(&self, plan: &CheckPlan, run: &mut RecordedRun) -> Result<Replayed, Problem> {
        let scenario = Scenario { faults: Faults::default(), ..plan.scenario.clone() };
        Ok(TypedWorld::new(self.protocol(plan)?, scenario)?.follow(run))
    }

    fn tell(&self, plan: &CheckPlan, part: &RecordedPart) -> Result<Trace, Problem> {
        Ok(TypedWorld::new(self.protocol(plan)?, plan.scenario.clone())?.tell(part))
    }

    fn cutoff(&self, settings: &Settings, sizes: &[usize], most: u64) -> Result<CutoffReport, Problem> {
        let ProtocolForm { processes, sizes: (least, greatest), .. } = self.outline.form;
        let params = Params::of(&self.description.params, &self.outline.form, settings)?;
        let mut sizes: Vec<usize> =
            sizes.iter().copied().filter(|n| (least..=greatest).contains(n)).collect();
        if sizes.is_empty() {
            sizes.push(processes);
        }
        let built = sizes.iter().map(|&n| {
            let protocol = self.built(n, &params)?;
            Ok(((self.description.environment)(&protocol, n).n, protocol))
        });
        let built: Vec<(usize, P)> = built.collect::<Result<_, Problem>>()?;
        let systems: Vec<(usize, &P)> = built.iter().map(|(n, protocol)| (*n, protocol)).collect();
        Ok(membership(&systems, most))
    }

    fn running(&self, plan: &CheckPlan) -> Result<NodeProfile, Problem> {
        let (protocol, live) = (self.protocol(plan)?, &self.description.live);
        let proposals = match live.deciding {
            None => None,
            Some(deciding) => {
                let n = plan.scenario.n;
                let clients = (self.description.clients)(&protocol, n, &plan.params)?;
                let usual = match clients.as_slice() {
                    [only] => {
                        only.calls.iter().filter_map(|(_, call, _)| (deciding.proposes)(call)).collect()
                    }
                    _ => Vec::new(),
                };
                let domain = (deciding.domain)(&plan.params)?;
                Some(Proposals { usual, domain, crashes: (deciding.crashes)(n) })
            }
        };
        Ok(NodeProfile {
            promises: (live.promises)(&protocol, &plan.scenario),
            proposals,
            restarts: live.restarts,
            model: plan.scenario.oracle.is_some() || P::SELECTIVE_RECEIVE.is_some(),
            instead: live.instead,
            only_checked: live.only_checked,
        })
    }

    fn simulated(&self, plan: &CheckPlan, tick: u64) -> Result<SimulatedSubject, Problem> {
        simulated::subject(&self.description, &self.protocol(plan)?, plan, tick)
    }

    fn measured(&self, settings: &Settings, tick: u64) -> Result<MeasuredSubject, Problem> {
        let ProtocolForm { processes, sizes: (least, most), .. } = self.outline.form;
        let most = self.description.members.unwrap_or(most);
        let n = size(&settings.n, processes, (least, most), self.outline.counted)?;
        let params = Params::of(&self.description.params, &self.outline.form, settings)?;
        let protocol = self.built(n, &params)?;
        measured::subject(self.outline.form.name, &self.description, protocol, (n, &params), tick)
    }

    fn parametric(&self, question: &RegionQuestion) -> Option<Vec<String>> {
        self.description.parametric.map(|parametric| parametric().usual(question.is_unknown(BOUND)))
    }

    fn models(&self, question: &RegionQuestion, property: &str) -> Result<Vec<Model>, Problem> {
        let Some(parametric) = self.description.parametric else {
            return Err(Problem::Usage(format!(
                "the durations of {} are numbers: make the protocol generic over `Time`, and describe it with \
                 `parametric`",
                self.outline.form.name
            )));
        };
        let params = question.params(&self.description.params, &self.outline.form)?;
        parametric().models(self.size(&question.settings)?, &params, question, property)
    }
}
