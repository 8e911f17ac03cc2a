//! One question, the spaces of which it is asked, one after the other where clients may ask different things, and the one
//! verdict that all of their answers make. It never says `holds` unless each of them does.

use crate::plan::ReportOptions;
use crate::problem::Problem;
use crate::search_options::SearchOptions;
use watchkeeper_explore::{ProgressCallback, Search, check};
use watchkeeper_logic::{Outcome, Question, Verdict};
use watchkeeper_report::thousands;
use watchkeeper_space::Space;

/// What one search goes through: a world as it is, in stages, one of several whose bounds nobody knows, or a published
/// model.
pub type SearchedSpace = Box<dyn Space>;

/// A question, and the spaces of which it is asked.
pub struct Query {
    /// The question.
    pub question: Question,
    /// Each with what clients ask there.
    pub spaces: Vec<(String, SearchedSpace)>,
    /// What may have gone wrong in a search, where the space cannot say so itself.
    failed: Option<Failed>,
}

/// Looks after a search whether it went wrong.
type Failed = Box<dyn Fn() -> Option<Problem>>;

impl Query {
    /// A question about one space.
    pub fn new(space: SearchedSpace, question: Question) -> Query {
        Query { question, spaces: vec![(String::new(), space)], failed: None }
    }

    /// A question about several spaces, each with what clients ask there.
    pub fn of_all(spaces: Vec<(String, SearchedSpace)>, question: Question) -> Query {
        Query { question, spaces, failed: None }
    }

    /// The same question, which has no answer if this finds a problem after the search.
    #[must_use]
    pub fn unless(self, failed: impl Fn() -> Option<Problem> + 'static) -> Query {
        Query { failed: Some(Box::new(failed)), ..self }
    }

    /// Searches, and gives the verdict. Each space is gone when it has been searched; after a violation there is no
    /// further search.
    pub fn answer(
        self,
        report_options: &ReportOptions,
        options: &SearchOptions,
        watch: &dyn ProgressCallback,
    ) -> Result<Verdict, Problem> {
        let mut verdict = self.verdict(&options.search_of(report_options.symmetric), watch)?;
        report_options.spare(&mut verdict);
        Ok(verdict)
    }

    fn verdict(self, search: &Search, watch: &dyn ProgressCallback) -> Result<Verdict, Problem> {
        let several = self.spaces.len() > 1;
        let names: Vec<String> = self.spaces.iter().map(|(name, _)| name.clone()).collect();
        let mut found: Option<Verdict> = None;
        let mut sizes = Vec::new();
        for (name, space) in self.spaces {
            let answer = check(&*space, &self.question, search, watch);
            if let Some(problem) = self.failed.as_ref().and_then(|failed| failed()) {
                return Err(problem);
            }
            let mut verdict = answer?;
            drop(space);
            sizes.push(format!("{name}: {}", thousands(verdict.stats.distinct_states)));
            if several && !verdict.holds() {
                verdict
                    .assumptions
                    .push(format!("this is the answer for {name}, one of {}", names.join("; ")));
            }
            if matches!(verdict.outcome, Outcome::Violated(_)) {
                return Ok(verdict);
            }
            // What one search could not find out does not hide what another one finds.
            found = Some(match found {
                None => verdict,
                Some(before) => before.and(verdict),
            });
        }
        let mut verdict = found.ok_or_else(|| Problem::Usage("no client asks anything".to_string()))?;
        if several && verdict.holds() {
            let unit = verdict.stats.unit.noun();
            verdict
                .assumptions
                .push(format!("one search after the other, with so many {unit}s: {}", sizes.join("; ")));
        }
        Ok(verdict)
    }
}
