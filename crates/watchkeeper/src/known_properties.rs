//! The properties that can be asked of a protocol, with what they say: those that every protocol has, those of failure
//! detectors, and its own.

use crate::description::{Described, Description, Detector};
use crate::detector_property::DetectorProperty;
use crate::plan::{TIME_LOCK, WITHIN_CAPACITY};
use crate::property_spec::PropertySpec;

/// The properties that every protocol has, with what they say.
const COMMON: [(&str, &str); 3] = [
    ("deadlock", "while some process has not crashed, something can still happen"),
    (WITHIN_CAPACITY, "no message finds its channel full; checked whenever channels report"),
    (TIME_LOCK, "time can pass or something can happen; checked where time could have to wait"),
];

/// The properties that every failure detector has, with what they say.
const OF_DETECTORS: [(&str, &str); 1] =
    [("oscillation:K[:pX:pY]", "pX [p0] does not stop suspecting pY [p1] K times after the crash of pY")];

/// The properties of every failure detector that says who has to find out about a crash, with what they say.
const OF_COMPLETE: [(&str, &str); 2] = [
    ("detection:B[:pX:pY]", "from B after the last crash on, crashed processes are suspected [pY by pX]"),
    ("accuracy[:pY]", "no process [pY] is suspected before it crashes; no process stops before a crash"),
];

/// The properties of every such failure detector whose processes suspect and do not only stop, with what they say.
const OF_SUSPECTING: [(&str, &str); 1] =
    [("mistakes:K", "no process suspects another one more than K times before that one crashes")];

/// All properties that can be asked of a protocol, with what they say.
pub(crate) fn properties<P: Described>(description: &Description<P>) -> Vec<(&'static str, &'static str)> {
    let Description { detector, properties, requirements, claims, .. } = description;
    let has = |of: fn(&Detector<P>) -> bool| detector.as_ref().is_some_and(of);
    let mut all = COMMON.to_vec();
    all.extend(OF_DETECTORS.iter().filter(|_| has(|detector| detector.suspects.is_some())));
    all.extend(OF_COMPLETE.iter().filter(|_| has(|detector| detector.completeness.is_some())));
    all.extend(OF_SUSPECTING.iter().filter(|_| description.counts_mistakes()));
    let classes = DetectorProperty::ALL.map(|property| (property.name(), property.about()));
    all.extend(classes.iter().filter(|_| description.suspects()));
    all.extend(properties.iter().map(|property| (property.name, property.about)));
    all.extend(requirements.iter().map(|requirement| (requirement.name, requirement.about)));
    all.extend(claims.iter().map(|claim| (claim.name, claim.about)));
    all
}

/// What is asked of a protocol where nobody names a property.
pub(crate) fn usually_asked<P: Described>(description: &Description<P>) -> Vec<PropertySpec> {
    let Description { properties, requirements, claims, ends, .. } = description;
    let own = properties.iter().filter(|property| property.usual).map(|property| property.name);
    let required = requirements.iter().map(|requirement| requirement.name);
    let named = own.chain(required).chain(claims.iter().map(|claim| claim.name));
    let deadlock = (!ends).then_some(PropertySpec::Deadlock);
    deadlock.into_iter().chain(named.map(|name| PropertySpec::Named(name.to_string()))).collect()
}
