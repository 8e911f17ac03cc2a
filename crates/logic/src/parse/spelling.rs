//! What somebody may have meant who wrote a name that does not exist.

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
        known.map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name)).collect();
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

/// How many characters must be put in, left out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
