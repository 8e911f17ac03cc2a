//! Formulas about infinite runs of a space that is not the world of a protocol, such as a published model.

use crate::fairness::constraints;
use crate::pose::premise;
use crate::problem::Problem;
use crate::settings::Settings;
use watchkeeper_logic::{Question, TemporalProperty, parse};
use watchkeeper_space::Shape;

/// The question of the formulas of some settings, under their fairness, about a space of `n` processes; `None` if they have no
/// formula.
pub fn model_claims(settings: &Settings, shape: &Shape, n: usize) -> Result<Option<Question>, Problem> {
    let Some(given) = &settings.ltl else { return Ok(None) };
    let mut question = Question::default();
    for text in &given.value {
        let formula = parse(text, &(shape, n))
            .map_err(|wrong| given.refused(format!("this cannot be read:\n{}", wrong.render(text))))?;
        let premise = premise(&formula);
        question.temporal.push(TemporalProperty { name: text.clone(), formula, premise });
    }
    question.fairness = constraints(settings.fairness.as_ref(), shape, n)?;
    Ok(Some(question))
}
