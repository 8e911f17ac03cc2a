//! The name that a user may have meant by one that does not exist. It only proposes; nothing is ever corrected silently.

use strsim::osa_distance;

/// The longest name, in bytes, that is compared with others.
const LONGEST: usize = 80;

/// The known name nearest to `given`, if one is near enough to be a slip of the hand. Of a name with arguments, such as
/// `detection:B[:pX:pY]`, only the part before them counts.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody mistypes a name of this length, and to compare it takes long.
    if given.len() > LONGEST {
        return None;
    }
    let given = stem(given).to_lowercase();
    let length = given.chars().count();
    let reach = if length <= 3 { 1 } else { 2 + length / 8 };
    let near = known.into_iter().map(|name| (osa_distance(&given, &stem(name).to_lowercase()), stem(name)));
    near.filter(|(far, _)| *far <= reach).min().map(|(_, name)| name)
}

/// The name without its arguments.
fn stem(name: &str) -> &str {
    name.split([':', '[']).next().unwrap_or(name)
}

/// `; did you mean ...?`, or nothing.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(given, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        assert_eq!(nearest("rnig", ["ring", "swim"]), Some("ring"));
        assert_eq!(nearest("chanel", ["channel", "crashes"]), Some("channel"));
        assert_eq!(nearest("paxos", ["ring", "swim"]), None);
        assert_eq!(did_you_mean("Crash", ["crashes"]), "; did you mean `crashes`?");
    }

    #[test]
    fn the_arguments_of_a_name_do_not_hide_it() {
        let known = ["deadlock", "accuracy[:pY]", "detection:B[:pX:pY]", "weak:NAME"];
        assert_eq!(nearest("acuracy", known), Some("accuracy"));
        assert_eq!(nearest("detecton:3", known), Some("detection"));
    }

    /// It took 8 bytes for each pair of letters: gigabytes for a name of some megabytes.
    #[test]
    fn a_name_that_is_too_long_for_a_slip_is_not_compared() {
        let long = "ring-".repeat(1 << 20);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }
}
