//! All claims, compared one after the other: the answer that was found before beside the answer of a search.

use super::claims::{RefinementClaim, claims};
use crate::table::{
    PublishedRow, PublishedTable, RowStatus, TableAnswer, TableCell, TableColumns, TableSearch,
};
use watchkeeper_explore::{ExploreError, ProgressCallback};
use watchkeeper_logic::Refinement;

/// All claims; heavy ones are compared only if `heavy`.
pub fn table(
    heavy: bool,
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedTable, ExploreError> {
    let columns = TableColumns {
        label: &["claim", "implementation", "specification", "crash of p1", "compared", "way"],
        printed: &[],
        found: vec!["found", "states", "states of the specification", "sets", "pairs", "time"],
        remark: "",
    };
    let title = "Refinement over suspect, stop-suspect and crash";
    let mut table = PublishedTable::new(title, columns, "as found before", &[]);
    for claim in claims() {
        if claim.heavy && !heavy {
            table.rows.push(PublishedRow { label: label(&claim), ..PublishedRow::default() });
            continue;
        }
        let (refinement, seconds) = search.timed(|search, watch| claim.compare(search, watch))?;
        table.rows.push(row(&claim, &refinement, seconds));
        table.notes.extend(
            refinement
                .violation
                .map(|offence| format!("{}: after {}: {offence}.", claim.name, offence.seen())),
        );
    }
    table.notes.extend(NOTES.iter().map(|note| note.to_string()));
    Ok(table)
}

fn row(claim: &RefinementClaim, refinement: &Refinement, seconds: TableCell) -> PublishedRow {
    let answer = TableAnswer::of(&refinement.verdict);
    let sizes = &refinement.sizes;
    let mut found = vec![TableCell::Answer(answer)];
    let sizes = [sizes.implementation, sizes.specification, sizes.sets, sizes.pairs];
    found.extend(sizes.map(TableCell::Count));
    found.push(seconds);
    let status = RowStatus::of(answer, answer == claim.expected);
    PublishedRow { label: label(claim), found, status, ..PublishedRow::default() }
}

fn label(claim: &RefinementClaim) -> Vec<TableCell> {
    let [implementation, specification] = claim.pairing.names();
    let (crash, method) = (claim.pairing.crash(), claim.pairing.method());
    TableCell::texts([&claim.name, &implementation, &specification, &crash, &claim.semantics, &method])
}

const NOTES: [&str; 5] = [
    "way: exact means that the specification was normalised, so that both answers are certain and the run that \
     refutes has the fewest steps. A witness names a state of the tasks for each state of the ring, and every step of \
     the ring is matched by a path of the tasks between two such states; that shows that the claim holds, and could \
     not refute it. States of the specification are then those that stand for one of the ring.",
    "The ring does in one step what the tasks do in up to six, so it can only do less. The reverse fails: Task2 takes \
     a message from its channel before it handles it, and so has room for one message more.",
    "Lost messages and channels that two kinds share need a witness that lets a channel of the tasks hold more than \
     that of the ring: what is lost in the one is in the other a message that never arrives.",
    "hasty is a ring with a planted mistake: when a round ends without an answer, a process suspects also the one \
     behind its target, which it has not asked.",
    "Spec1 is the specification in the authors' FDR2 script, which allows p0 to suspect p1 twice after its crash; they \
     report a counterexample to it.",
];
