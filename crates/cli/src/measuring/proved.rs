//! What a search of the model proves, for a measurement to stand beside: the bound on detection, and the class of the
//! detector. The model bounds the delay of every message; a distribution without a longest delay gets a bound that nearly
//! all messages keep.

use crate::asking::one;
use crate::clock::{Clock, Showing};
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::registry::ProtocolEntry;
use watchkeeper::bound::{BoundEnding, LeastBound, MOST, hunt};
use watchkeeper::plan::CheckPlan;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, SettingOrigin, bound, classify};
use watchkeeper_report::{duration, headline};
use watchkeeper_sim::Nanos;
use watchkeeper_sim::quality::NetworkProfile;

/// The share of messages that may be longer on their way than the model has it.
const BEYOND: f64 = 1e-4;

/// A bound on detection, or why there is none; and the class.
#[derive(Clone, Debug)]
pub(crate) struct ProvedBound {
    /// The bound in seconds, or why there is none.
    pub(crate) found: Result<f64, String>,
    /// Of how many processes.
    pub(crate) n: usize,
    /// What it rests on.
    pub(crate) rests_on: String,
    /// The class of Chandra and Toueg, if it was found in time.
    pub(crate) class: Option<String>,
}

/// The model that is searched.
struct Model<'a> {
    program: &'a Program,
    entry: &'a ProtocolEntry,
    settings: RawSettings,
    /// Whether messages are lost: a detector that learns from it to wait longer finds crashes later.
    loses: bool,
    /// How long each search may take.
    limit: TimeSpan,
}

impl ProvedBound {
    /// Looks for the bound of a protocol with these settings, among `n` processes, or, where that takes too long, among the
    /// fewest.
    pub(crate) fn hunt(
        program: &Program,
        entry: &ProtocolEntry,
        settings: &RawSettings,
        (n, tick, network): (usize, u64, &NetworkProfile),
        limit: TimeSpan,
    ) -> ProvedBound {
        let (longest, always) = network.longest_delay(BEYOND);
        let ticks = longest.div_ceil(tick);
        let mut settings = settings.clone();
        let origin = SettingOrigin::Call("the model of the measurement");
        settings.set("delay", format!("0..{ticks}"), origin.clone());
        let third = TimeSpan(limit.0 / 3);
        settings.set("timeout", format!("{}ms", third.0.as_millis().max(1)), origin.clone());
        let loses = network.lost_share() > 0.0;
        let mut model = Model { program, entry, settings, loses, limit: third };
        let (fewest, _) = entry.outline().form.sizes;
        let (mut found, mut size) = (model.least(), n);
        // A class among fewer processes may be another one.
        let class = model.class();
        if found.is_err() && fewest < n {
            model.settings.set("n", fewest.to_string(), origin);
            (found, size) = (model.least(), fewest);
        }
        let kept = if always { "as all do here" } else { "as 99.99% of them do here" };
        let rests_on = format!(
            "there are {size} processes, one crashes, all begin together and none is slow, {} may be lost, and a message that arrives \
             takes at most {}, {kept}",
            if loses { "messages" } else { "none" },
            Nanos(ticks * tick)
        );
        let found = found.map(|bound| f64::from(bound) * tick as f64 / 1e9);
        ProvedBound { found, n: size, rests_on, class }
    }
}

impl Model<'_> {
    fn searched(
        &self,
        settings: watchkeeper::Settings,
    ) -> Result<(CheckPlan, SearchOptions, Clock), Problem> {
        let options = SearchOptions::of(&settings)?;
        let clock = Clock::start(options.timeout, Showing::Nothing);
        Ok((self.entry.protocol.plan(&settings)?, options, clock))
    }

    /// The least bound in ticks, or why there is none.
    fn least(&self) -> Result<u32, String> {
        let hunted = || {
            let mut settings = self.settings.clone();
            if self.loses {
                settings.set("loss", "any".to_string(), SettingOrigin::Call("a network that loses messages"));
            }
            let (plan, options, clock) = self.searched(bound::supposed(settings.read()?))?;
            hunt(&plan, MOST, |asked| one(self.program, self.entry, &plan, asked, &options, &clock))
        };
        let answer = hunted().map_err(|problem| problem.to_string())?;
        match answer.ending {
            BoundEnding::LeastBound(LeastBound::Least(bound)) => Ok(bound),
            BoundEnding::LeastBound(LeastBound::Beyond(most)) => Err(format!("not within {most} ticks")),
            BoundEnding::LeastBound(LeastBound::Unknown(_)) => {
                Err(format!("the search was not done within {}", duration(self.limit.0.as_secs_f64())))
            }
            BoundEnding::Broken => Err(answer
                .steps
                .last()
                .map_or("the model allows none".to_string(), |step| headline(&step.verdict))),
        }
    }

    /// The class in ticks.
    fn class(&self) -> Option<String> {
        let classified = || {
            let mut settings = self.settings.clone();
            settings.set("time", "ticks", SettingOrigin::Call("the model of the measurement"));
            let (plan, options, clock) = self.searched(classify::supposed(settings.read()?))?;
            let plan = CheckPlan { asked: Vec::new(), ..plan };
            classify::classify(&*self.entry.protocol, &plan, &options, &clock)
        };
        let found = classified().ok()?;
        (!found.strongest().is_empty()).then(|| found.names())
    }
}
