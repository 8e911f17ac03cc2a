//! The description of the lease: its parameters, its environment and its property, for whole units and for unknown
//! durations alike.

use crate::{Lease, Wish};
use watchkeeper::{
    Capacity, Clients, Described, Description, Linear, Network, Parametric, ParametricDescription, Params,
    Problem, Scenario, StateProperty, Timing, WorldTime,
};
use watchkeeper_core::{Bound, Pid, Time};

/// How often each application wants the lease.
const WISHES: u32 = 2;

fn build<T: Time>(n: usize, params: &Params) -> Result<Lease<T>, Problem> {
    if n < 3 {
        return Err(Problem::Usage("a lease needs p0 and two clients; write --n 3".to_string()));
    }
    Ok(Lease {
        ttl: params.get("ttl")?,
        hold: params.get("hold")?,
        eps: params.get("eps")?,
        since_ask: params.get("since-ask")?,
    })
}

fn environment<T: Time>(n: usize) -> Scenario<T> {
    let network = Network { capacity: Capacity::Unbounded { cap: 4 }, ..Network::default() };
    let timing = Timing::per_message(Bound::within(T::from(1)));
    Scenario { network, ..Scenario::new(n) }.with_time(WorldTime::Dense(timing))
}

fn wishes(n: usize) -> Vec<(Pid, Wish, u32)> {
    Pid::all(n).skip(1).map(|client| (client, Wish::Acquire, WISHES)).collect()
}

impl Parametric for Lease<Linear> {
    fn parametric() -> ParametricDescription<Lease<Linear>> {
        ParametricDescription::new("lease", build)
            .environment(|_, n| environment(n))
            .calls(|_, n| wishes(n))
            .always("one-holder", |_, states| Lease::<Linear>::one_holder(states.iter().copied()))
    }
}

impl Described for Lease {
    fn description() -> Description<Lease> {
        Description::new("lease", "p0 grants a lease to one client at a time; clocks drift", build)
            .param("ttl", "how long p0 keeps to a grant", "5")
            .param("hold", "how long a client holds the lease, by its own clock", "2")
            .param("eps", "the most by which that clock is wrong in this time", "1")
            .param("since-ask", "count from when the client asked, not from when the grant came", "false")
            .environment(|_, n| environment(n))
            .clients(|_, n, _| Ok(vec![Clients::of(wishes(n))]))
            .property(StateProperty::always(
                "one-holder",
                "at most one client holds the lease",
                |_, global| Lease::<u32>::one_holder(global.processes().map(|p| global.state(p))),
            ))
            .ends()
            .parametric::<Lease<Linear>>()
    }
}
