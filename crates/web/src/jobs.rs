//! Searches that take long, beside the requests of a page: each on a thread of its own, with its progress, and an end
//! whenever the page asks for one.

use crate::answer::{Answered, WebProblem};
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use watchkeeper_explore::{Progress, ProgressCallback};
use watchkeeper_logic::Limit;
use watchkeeper_report::{duration, thousands};

/// The most jobs that run at once, and the most that are remembered.
const RUNNING: usize = 4;
const REMEMBERED: usize = 64;

/// How often it is looked whether all jobs have ended.
const LOOK: Duration = Duration::from_millis(10);

/// All jobs of a server.
#[derive(Default)]
pub struct Jobs {
    list: Mutex<JobList>,
}

#[derive(Default)]
struct JobList {
    next: usize,
    jobs: BTreeMap<usize, Arc<Job>>,
}

struct Job {
    kind: &'static str,
    progress: Arc<JobProgress>,
    /// What came of it, once something has.
    end: Mutex<Option<Answered>>,
}

/// How far a job is, and whether it shall go on.
pub struct JobProgress {
    began: Instant,
    cancelled: AtomicBool,
    text: Mutex<(String, Option<f64>)>,
}

impl Jobs {
    /// Begins a job, and gives the answer that names it.
    pub fn begin(
        &self,
        kind: &'static str,
        work: impl FnOnce(&JobProgress) -> Answered + Send + 'static,
    ) -> Answered {
        let progress = Arc::new(JobProgress::silent());
        let job = Arc::new(Job { kind, progress, end: Mutex::default() });
        let number = {
            let mut list = self.list();
            if list.jobs.values().filter(|job| job.is_running()).count() >= RUNNING {
                let why = format!("{RUNNING} searches run already: cancel one, or wait for its end");
                return Err(WebProblem::new(429, why));
            }
            let number = list.next;
            list.next += 1;
            list.jobs.insert(number, Arc::clone(&job));
            let over: Vec<usize> =
                list.jobs.iter().filter(|(_, job)| !job.is_running()).map(|(number, _)| *number).collect();
            let surplus = list.jobs.len().saturating_sub(REMEMBERED);
            over.into_iter().take(surplus).for_each(|number| drop(list.jobs.remove(&number)));
            number
        };
        let run = move || {
            let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&job.progress)));
            let end = worked.unwrap_or_else(|_| {
                Err(WebProblem::new(500, "the search ended by a mistake of this program; please report it"))
            });
            *job.end() = Some(end);
        };
        let begun = std::thread::Builder::new().name(kind.to_string()).spawn(run);
        begun.map_err(|why| {
            self.list().jobs.remove(&number);
            WebProblem::new(503, format!("the system gives no thread: {why}"))
        })?;
        Ok(json!({ "job": number }))
    }

    /// What is known of a job.
    pub fn look(&self, number: usize) -> Answered {
        let job = self.job(number)?;
        let end = job.end();
        let status = match &*end {
            None => "running",
            Some(_) if job.progress.is_cancelled() => "cancelled",
            Some(Ok(_)) => "done",
            Some(Err(_)) => "failed",
        };
        let (text, fraction) = job.progress.text().clone();
        Ok(json!({
            "job": number,
            "kind": job.kind,
            "status": status,
            "progress": { "text": text, "fraction": fraction },
            "error": end.as_ref().and_then(|end| end.as_ref().err()).map(|problem| &problem.message),
            "result": end.as_ref().and_then(|end| end.as_ref().ok()),
        }))
    }

    /// Asks a job to end.
    pub fn cancel(&self, number: usize) -> Answered {
        self.job(number)?.progress.cancelled.store(true, Ordering::Relaxed);
        self.look(number)
    }

    /// Asks all jobs to end, and gives them so long for it: what they have written for themselves goes with them.
    pub fn end_all(&self, patience: Duration) {
        let jobs: Vec<Arc<Job>> = self.list().jobs.values().cloned().collect();
        jobs.iter().for_each(|job| job.progress.cancelled.store(true, Ordering::Relaxed));
        let began = Instant::now();
        while jobs.iter().any(|job| job.is_running()) && began.elapsed() < patience {
            std::thread::sleep(LOOK);
        }
    }

    fn job(&self, number: usize) -> Result<Arc<Job>, WebProblem> {
        let job = self.list().jobs.get(&number).cloned();
        job.ok_or_else(|| WebProblem::gone(format!("there is no search {number}: begin it again")))
    }

    fn list(&self) -> MutexGuard<'_, JobList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    fn is_running(&self) -> bool {
        self.end().is_none()
    }

    fn end(&self) -> MutexGuard<'_, Option<Answered>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JobProgress {
    /// The progress of something that nobody looks at.
    pub fn silent() -> JobProgress {
        JobProgress { began: Instant::now(), cancelled: AtomicBool::new(false), text: Mutex::default() }
    }

    /// Whether the page has asked for the end.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Says how far it is, in words and, where that is known, as a part of 1.
    pub fn tell(&self, text: impl Into<String>, fraction: Option<f64>) {
        *self.text() = (text.into(), fraction);
    }

    /// The seconds since its begin.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn text(&self) -> MutexGuard<'_, (String, Option<f64>)> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressCallback for JobProgress {
    fn on_progress(&self, progress: &Progress) -> ControlFlow<Limit> {
        if self.is_cancelled() {
            return ControlFlow::Break(Limit::Interrupted);
        }
        let (states, time) = (thousands(progress.distinct_states), duration(self.seconds()));
        self.tell(format!("{states} states, depth {}, {time}", progress.depth), None);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value as Json;
    use std::sync::mpsc::channel;

    /// What a job says once it is over.
    fn ended(jobs: &Jobs, number: usize) -> Json {
        loop {
            let seen = jobs.look(number).expect("a job");
            if seen["status"] != "running" {
                return seen;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_job_ends_with_a_result_a_problem_or_when_it_is_told_to() {
        let jobs = Jobs::default();
        assert_eq!(jobs.begin("check", |_| Ok(json!(7))), Ok(json!({ "job": 0 })));
        assert_eq!(ended(&jobs, 0)["result"], 7);
        jobs.begin("check", |_| Err(WebProblem::bad("no"))).expect("a job");
        let failed = ended(&jobs, 1);
        assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("no")));
        let (send, hear) = channel();
        let work = move |progress: &JobProgress| {
            send.send(()).expect("a listener");
            while !progress.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(json!("what was found so far"))
        };
        jobs.begin("check", work).expect("a job");
        hear.recv().expect("it has begun");
        assert_eq!(jobs.look(2).expect("a job")["status"], "running");
        jobs.cancel(2).expect("a job");
        let cancelled = ended(&jobs, 2);
        assert_eq!(
            (&cancelled["status"], &cancelled["result"]),
            (&json!("cancelled"), &json!("what was found so far"))
        );
        assert_eq!(jobs.look(9).expect_err("none").status, 410);
    }

    #[test]
    fn a_mistake_in_a_job_is_told_and_the_number_of_jobs_is_limited() {
        let jobs = Jobs::default();
        jobs.begin("check", |_| panic!("a mistake")).expect("a job");
        assert_eq!(ended(&jobs, 0)["status"], "failed");
        for _ in 0..RUNNING {
            let wait = |progress: &JobProgress| {
                while !progress.is_cancelled() {
                    std::thread::yield_now();
                }
                Ok(Json::Null)
            };
            jobs.begin("check", wait).expect("a job");
        }
        assert_eq!(jobs.begin("check", |_| Ok(Json::Null)).expect_err("too many").status, 429);
        jobs.end_all(Duration::ZERO);
        ended(&jobs, 1);
        assert!(jobs.begin("check", |_| Ok(Json::Null)).is_ok());
    }

    #[test]
    fn all_jobs_are_given_time_to_end_but_no_more_than_that() {
        let jobs = Jobs::default();
        let work = |progress: &JobProgress| {
            while !progress.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(json!("ended"))
        };
        jobs.begin("check", work).expect("a job");
        jobs.end_all(Duration::from_secs(60));
        assert_eq!(jobs.look(0).expect("a job")["result"], "ended");
        let (send, hear) = channel::<()>();
        jobs.begin("check", move |_| Ok(json!(hear.recv().is_err()))).expect("a job");
        jobs.end_all(Duration::ZERO);
        assert_eq!(jobs.look(1).expect("a job")["status"], "running");
        drop(send);
    }
}
