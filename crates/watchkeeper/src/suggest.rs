//! What the user may have meant by a name that does not exist. It only proposes; nothing is ever
//! corrected silently.

/// The longest name, in bytes, that is compared with others.
const LONGEST: usize = 80;

/// The known name nearest to `given`, if one is near enough to be a slip of the hand.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody mistypes a name of this length, and to compare it takes long.
    if given.len() > LONGEST {
        return None;
    }
    let given = given.to_lowercase();
    let reach = if given.chars().count() <= 3 { 1 } else { 2 + given.chars().count() / 8 };
    let near = known.into_iter().map(|name| (distance(&given, &name.to_lowercase()), name));
    near.filter(|(far, _)| *far <= reach).min().map(|(_, name)| name)
}

/// `; did you mean ...?`, or nothing.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(given, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The number of letters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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

    /// It took 8 bytes for each pair of letters: gigabytes for a name of some megabytes.
    #[test]
    fn what_is_too_long_for_a_slip_is_not_compared() {
        let long = "ring-".repeat(1 << 20);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }

    #[test]
    fn swapping_two_letters_is_one_slip() {
        assert_eq!(distance("ring", "rnig"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
