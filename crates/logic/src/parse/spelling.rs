//! Suggestions for a name that does not exist: the names at the smallest edit distance.

use strsim::osa_distance;

/// Names longer than this, in bytes, are not compared: nobody mistypes them, and it takes long.
const LONGEST: usize = 80;

/// The names nearest to a wrong one, best first, if any is near enough to be meant.
pub fn nearest(wrong: &str, known: &[String]) -> Vec<String> {
    if wrong.len() > LONGEST {
        return Vec::new();
    }
    let known = known.iter().filter(|name| name.len() <= LONGEST);
    let enough = wrong.chars().count() / 3 + 1;
    let mut near: Vec<(usize, &String)> =
        known.map(|name| (osa_distance(&wrong.to_lowercase(), &name.to_lowercase()), name)).collect();
    near.retain(|(distance, _)| *distance <= enough);
    near.sort();
    near.dedup();
    let best = near.first().map_or(0, |(distance, _)| *distance);
    near.into_iter()
        .take_while(|(distance, _)| *distance == best)
        .take(3)
        .map(|(_, name)| name.clone())
        .collect()
}
