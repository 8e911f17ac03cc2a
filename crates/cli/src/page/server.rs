//! The server of the page: HTTP on the loopback interface. Who may ask is decided by the guard; a request is bounded in
//! size and in time, and answered on a thread that may take its time.

use super::repeats::Repeats;
use crate::{interrupt, key_file};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderValue, ORIGIN,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_web::{Answered, CONTENT_POLICY, PageGuard, RequestHead, TOKEN_HEADER, WebProblem, asset};

/// How long the head of a request may take to arrive, and its body.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many connections there are at once.
const CONNECTIONS: usize = 64;

/// How often the server looks whether it shall end.
const LOOK: Duration = Duration::from_millis(100);

/// The name of a request that must not be done twice, however often it is made.
const ONCE_HEADER: &str = "x-watchkeeper-once";

/// What a server serves beside the files of the page.
pub(crate) trait Site: Send + Sync + 'static {
    /// The answer to a request of the page; it may take its time.
    fn answer(&self, head: &RequestHead, body: &Value) -> Answered;
}

/// A server that listens and does not yet answer.
pub(crate) struct PageServer {
    listener: TcpListener,
    guard: PageGuard,
}

impl PageServer {
    /// Listens at a port of the loopback interface, or at a free one.
    pub(crate) fn bind(port: Option<u16>, flag: &str) -> Result<PageServer, Problem> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        let listen = || {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        };
        let (listener, port) = listen().map_err(|why: std::io::Error| {
            let why = match why.kind() {
                std::io::ErrorKind::AddrInUse => {
                    format!("{address} is in use by another program: stop that one, or choose another port")
                }
                _ => format!("cannot listen at {address}: {why}; choose another port"),
            };
            Problem::Value { origin: SettingOrigin::Argument(flag.to_string()), why }
        })?;
        Ok(PageServer { listener, guard: PageGuard::new(token()?, port) })
    }

    /// The address that opens the page.
    pub(crate) fn address(&self, fragment: &str) -> String {
        self.guard.address(fragment)
    }

    /// Answers until the program is asked to end, or `over` says so.
    pub(crate) fn serve(self, site: Arc<dyn Site>, over: impl Fn() -> bool) -> Result<(), Problem> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|why| Problem::Usage(format!("the page cannot be served: {why}")))?;
        let PageServer { listener, guard } = self;
        let served = runtime.block_on(async move {
            let door = tokio::net::TcpListener::from_std(listener)?;
            let (places, repeats) = (Arc::new(Semaphore::new(CONNECTIONS)), Arc::new(Repeats::default()));
            while !interrupt::asked() && !over() {
                let Ok(accepted) = tokio::time::timeout(LOOK, door.accept()).await else { continue };
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(LOOK).await;
                    continue;
                };
                // Who finds no place is shown the door: pages of one person never need so many.
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                let (site, guard, repeats) = (Arc::clone(&site), guard.clone(), Arc::clone(&repeats));
                tokio::spawn(async move {
                    let service = service_fn(|request| answered(request, &guard, &site, &repeats));
                    let connection = http1::Builder::new()
                        .timer(TokioTimer::new())
                        .header_read_timeout(PATIENCE)
                        .max_headers(64)
                        .serve_connection(TokioIo::new(stream), service);
                    let _ = connection.await;
                    drop(place);
                });
            }
            Ok::<(), std::io::Error>(())
        });
        // A search that a request waits for does not keep the program from ending.
        runtime.shutdown_background();
        served.map_err(|why| Problem::Usage(format!("the page cannot be served: {why}")))
    }
}

/// 128 bits that nobody can guess, from the randomness of the system.
fn token() -> Result<String, Problem> {
    Ok(key_file::fresh()?.to_hex()[..32].to_string())
}

async fn answered(
    request: Request<Incoming>,
    guard: &PageGuard,
    site: &Arc<dyn Site>,
    repeats: &Arc<Repeats>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let head = head(&request);
    if let Err(problem) = guard.admits(&head) {
        return Ok(refused(&problem));
    }
    if !head.path.starts_with("/api/") {
        return Ok(match asset(&head.path) {
            Some(asset) => page(StatusCode::OK, asset.kind, asset.text.as_bytes().to_vec()),
            None => refused(&WebProblem::missing("there is no such page; open /")),
        });
    }
    let most = PageGuard::longest(&head);
    let once = request.headers().get(ONCE_HEADER).and_then(|name| Some(name.to_str().ok()?.to_string()));
    let body = match body(request, most).await {
        Ok(body) => body,
        Err(problem) => return Ok(refused(&problem)),
    };
    let (site, repeats) = (Arc::clone(site), Arc::clone(repeats));
    let work = move || {
        let work = || repeats.answer(once, || site.answer(&head, &body));
        let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        worked.unwrap_or_else(|_| {
            Err(WebProblem::new(
                500,
                "this is a mistake of the program, which the terminal tells; please report it",
            ))
        })
    };
    let answer = tokio::task::spawn_blocking(work).await;
    Ok(match answer {
        Ok(Ok(value)) => page(StatusCode::OK, "application/json", value.to_string().into_bytes()),
        Ok(Err(problem)) => refused(&problem),
        Err(_) => refused(&WebProblem::new(503, "the program ends")),
    })
}

/// The body of a request as JSON; none is null.
async fn body(request: Request<Incoming>, most: u64) -> Result<Value, WebProblem> {
    let large = || WebProblem::new(413, format!("the request has more than {most} bytes"));
    let length =
        request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > most) {
        return Err(large());
    }
    let whole = Limited::new(request.into_body(), usize::try_from(most).unwrap_or(usize::MAX)).collect();
    let whole = tokio::time::timeout(PATIENCE, whole).await;
    let whole = whole.map_err(|_| WebProblem::new(408, "the request did not arrive in time"))?;
    let bytes = whole.map_err(|_| large())?.to_bytes();
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&bytes).map_err(|why| WebProblem::bad(format!("the request is no JSON: {why}")))
}

fn head(request: &Request<Incoming>) -> RequestHead {
    let text = |value: &HeaderValue| value.to_str().unwrap_or("?").to_string();
    let one = |name: &str| request.headers().get(name).map(text);
    let line = request.uri().authority().map(|host| host.as_str().to_string());
    RequestHead {
        method: request.method().as_str().to_string(),
        path: request.uri().path().to_string(),
        query: request.uri().query().map(str::to_string),
        hosts: request.headers().get_all(HOST).iter().map(text).chain(line).collect(),
        origin: one(ORIGIN.as_str()),
        fetch_site: one("sec-fetch-site"),
        token: one(TOKEN_HEADER),
        content_type: one(CONTENT_TYPE.as_str()),
    }
}

fn refused(problem: &WebProblem) -> Response<Full<Bytes>> {
    let code = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    page(code, "application/json", problem.body().to_string().into_bytes())
}

fn page(code: StatusCode, kind: &'static str, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    *answer.status_mut() = code;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    answer
}
