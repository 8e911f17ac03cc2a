//! The page of a cluster that runs: everything that the explorer has, and the nodes as they are. Only a cluster that was
//! started with control can be touched from it.

use super::scenario::PageScenario;
use super::server::{PageServer, Site};
use super::site::{ExplorerSite, PageStart};
use crate::cluster::{LiveDesk, LiveRefusal};
use crate::program::Program;
use serde_json::{Value, json};
use std::sync::Arc;
use watchkeeper::Problem;
use watchkeeper_web::{Answered, RequestHead, WebProblem};

/// The longest that a chart of the last steps goes back, and what it shows unasked, in seconds.
const LONGEST: f64 = 60.0;
const USUAL: f64 = 5.0;

/// The site of `cluster --web`.
struct LiveSite {
    explorer: ExplorerSite,
    desk: LiveDesk,
}

/// The page of a cluster that runs.
pub(crate) struct LivePage {
    /// The address that opens it.
    pub(crate) address: String,
    site: Arc<LiveSite>,
}

impl LivePage {
    /// Ends the searches that it has begun. The server itself ends with the program.
    pub(crate) fn end(&self) {
        self.site.explorer.end();
    }
}

/// Serves the page of a cluster beside it.
pub(crate) fn serve_live(
    program: &Program,
    scenario: PageScenario,
    desk: LiveDesk,
    server: PageServer,
) -> Result<LivePage, Problem> {
    let address = server.address(&format!("{}&tab=live", scenario.fragment()));
    let explorer = ExplorerSite::new(program.clone(), PageStart { scenario: Some(scenario), imported: None });
    let site = Arc::new(LiveSite { explorer, desk });
    let served = Arc::clone(&site);
    let serve = move || drop(server.serve(served, || false));
    let begun = std::thread::Builder::new().name("page".to_string()).spawn(serve);
    begun.map_err(|why| Problem::Usage(format!("the page cannot be served: {why}")))?;
    Ok(LivePage { address, site })
}

impl LiveSite {
    fn chart(&self, query: Option<&str>) -> Answered {
        let seconds =
            query.and_then(|query| query.strip_prefix("seconds=")).map_or(Ok(USUAL), str::parse::<f64>);
        let seconds = seconds.ok().filter(|seconds| (0.1..=LONGEST).contains(seconds));
        let wrong = || WebProblem::bad(format!("seconds is a number from 0.1 to {LONGEST}"));
        Ok(self.desk.chart(seconds.ok_or_else(wrong)?))
    }

    fn act(&self, body: &Value) -> Answered {
        self.desk.act(body).map_err(|refusal| {
            let status = match refusal {
                LiveRefusal::ReadOnly => 403,
                LiveRefusal::Unreadable(_) => 400,
                LiveRefusal::NoSuchNode(_) => 404,
                LiveRefusal::Impossible(_) => 422,
                LiveRefusal::Over => 410,
            };
            WebProblem::new(status, refusal.to_string())
        })?;
        Ok(self.desk.view())
    }
}

impl Site for LiveSite {
    fn answer(&self, head: &RequestHead, body: &Value) -> Answered {
        match (head.path.as_str(), head.method.as_str()) {
            ("/api/program", _) => Ok(self.explorer.program(json!({ "control": self.desk.control() }))),
            ("/api/live", _) => Ok(self.desk.view()),
            ("/api/live/chart", _) => self.chart(head.query.as_deref()),
            ("/api/live/act", "POST") => self.act(body),
            ("/api/live/act", _) => Err(WebProblem::new(405, "only POST")),
            _ => self
                .explorer
                .answers(head, body)
                .unwrap_or_else(|| Err(WebProblem::missing("there is no such request"))),
        }
    }
}
