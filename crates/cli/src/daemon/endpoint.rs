//! The endpoint for machines: `/status`, `/metrics` and `/healthz` over HTTP on the loopback interface, and `/call`,
//! which asks something of a protocol that can be asked. The others only read, and whoever comes there is bounded: in
//! the size of what he says, in time, and in number.

use super::view::{EndpointView, NotAsked};
use super::visitors::Visitors;
use super::{metrics, status};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tracing::debug;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_runtime::NodePhase;

/// How long a question may take to arrive, from the connection or the answer before on.
const HEADERS: Duration = Duration::from_secs(1);

/// The most that is read of a question, in bytes and in lines.
const LONGEST: usize = 8 * 1024;
const LINES: usize = 32;

/// How long to wait if the system lets nobody in.
const BREATH: Duration = Duration::from_millis(100);

/// The header that says what is asked.
pub(super) const CALL: &str = "watchkeeper-call";

const TEXT: &str = "text/plain; charset=utf-8";

/// Listens at an address that a line of the node file names.
pub(super) fn bind(address: SocketAddr, origin: &SettingOrigin) -> Result<TcpListener, Problem> {
    let listen = || {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    };
    listen().map_err(|why| {
        let why = match why.kind() {
            std::io::ErrorKind::AddrInUse => {
                format!("{address} is in use by another program: stop that one, or choose another port")
            }
            _ => format!("cannot listen at {address}: {why}; choose a loopback address of this machine"),
        };
        Problem::Value { origin: origin.clone(), why }
    })
}

/// Answers whoever comes, for ever.
pub(super) async fn serve(door: TcpListener, view: Arc<EndpointView>) {
    let visitors = Arc::new(Visitors::default());
    loop {
        let stream = match door.accept().await {
            Ok((stream, _)) => stream,
            Err(why) => {
                debug!(event = "http-failed", "nobody can be let in at the moment: {why}");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let place = visitors.place().await;
        let view = Arc::clone(&view);
        tokio::spawn(async move {
            let answering = |now| place.answering(now);
            // Whoever speaks no HTTP, or is silent while others wait, is shown the door without a word.
            tokio::select! {
                _ = visit(stream, &view, &answering) => {}
                () = place.over() => {}
            }
        });
    }
}

/// Answers what comes over one connection, and tells whenever an answer begins and is there.
pub(super) async fn visit(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    view: &EndpointView,
    answering: &(impl Fn(bool) + Sync),
) -> hyper::Result<()> {
    let service = service_fn(|request: Request<Incoming>| async move {
        answering(true);
        let mut answer = answer(&request, view).await;
        answering(false);
        if !stays(&request) {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let (method, path, code) = (request.method(), request.uri().path(), answer.status().as_u16());
        debug!(event = "asked", status = code, "{method} {path}: {code}");
        Ok::<_, Infallible>(answer)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .max_buf_size(LONGEST)
        .max_headers(LINES)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

/// Whether somebody says that he will ask again. A script that does not say so gets its answer and an end.
fn stays(request: &Request<Incoming>) -> bool {
    let mut said = request.headers().get_all(CONNECTION).iter();
    said.any(|said| said.as_bytes().eq_ignore_ascii_case(b"keep-alive"))
}

async fn answer(request: &Request<Incoming>, view: &EndpointView) -> Response<Full<Bytes>> {
    if !is_local(request) {
        let why = "ask for this node by its loopback address or as localhost\n";
        return page(StatusCode::FORBIDDEN, TEXT, why.to_string());
    }
    let path = request.uri().path();
    if path == "/call" {
        return call(request, view).await;
    }
    if !["/status", "/metrics", "/healthz"].contains(&path) {
        let known = "there is /status (JSON), /metrics (Prometheus), /healthz and, to ask something, /call\n";
        return page(StatusCode::NOT_FOUND, TEXT, known.to_string());
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        let mut answer = page(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n".to_string());
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return answer;
    }
    let status = view.status().await;
    match (path, status) {
        ("/metrics", status) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            page(StatusCode::OK, kind, metrics::text(view, status.as_deref()))
        }
        (_, None) => {
            let phase = view.phase().name();
            page(StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{phase}: the node does not answer\n"))
        }
        ("/status", Some(status)) => {
            let text = match request.uri().query() {
                Some("brief") => status::brief(view, &status),
                _ => status::json(view, &status),
            };
            page(StatusCode::OK, "application/json", text)
        }
        (_, Some(_)) => health(view.phase()),
    }
}

/// Asks something of the protocol. What it is stands in a header of its own, which no page of somebody else's can make
/// a browser send here.
async fn call(request: &Request<Incoming>, view: &EndpointView) -> Response<Full<Bytes>> {
    if request.method() != Method::POST {
        let mut answer = page(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only POST\n".to_string());
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return answer;
    }
    let what = request.headers().get(CALL).and_then(|what| what.to_str().ok());
    let Some(what) = what else {
        let why = format!("what is asked belongs into the header {CALL}, such as `{CALL}: say 7`\n");
        return page(StatusCode::BAD_REQUEST, TEXT, why);
    };
    match view.call(what).await {
        Ok(()) => page(StatusCode::OK, TEXT, "asked\n".to_string()),
        Err(NotAsked::Unreadable(why)) => page(StatusCode::BAD_REQUEST, TEXT, format!("{why}\n")),
        Err(NotAsked::Nothing) => {
            let why = format!("the processes of {} are asked nothing while they run\n", view.protocol);
            page(StatusCode::NOT_FOUND, TEXT, why)
        }
        Err(NotAsked::NotRunning) => {
            let why = format!("{}: the node takes no calls now\n", view.phase().name());
            page(StatusCode::SERVICE_UNAVAILABLE, TEXT, why)
        }
    }
}

fn health(phase: NodePhase) -> Response<Full<Bytes>> {
    // A supervisor that ended a node because nobody has let it in yet would only make it start anew.
    let well = matches!(phase, NodePhase::Gathering | NodePhase::Joining | NodePhase::Running);
    let code = if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    page(code, TEXT, format!("{}\n", phase.name()))
}

/// Whether the question was meant for a loopback address, by all that it says of that. A browser that was lured here by a name of somebody else's
/// says that name.
fn is_local(request: &Request<Incoming>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let line = request.uri().authority();
    line.is_none_or(|host| names_loopback(host.as_str()))
        && hosts.all(|host| host.to_str().is_ok_and(names_loopback))
}

fn names_loopback(host: &str) -> bool {
    let bare = host.parse::<SocketAddr>().map(|address| address.ip());
    let bare = bare.or_else(|_| host.trim_matches(['[', ']']).parse());
    let name = host.split(':').next().unwrap_or(host);
    bare.map_or(name.eq_ignore_ascii_case("localhost"), |ip| ip.is_loopback())
}

fn page(code: StatusCode, kind: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    *answer.status_mut() = code;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_to_this_machine_are_answered() {
        for yes in ["127.0.0.1:7201", "127.0.0.1", "[::1]:80", "[::1]", "localhost", "LocalHost:7201"] {
            assert!(names_loopback(yes), "{yes}");
        }
        for no in ["", "example.org", "example.org:7201", "10.0.0.1:7201", "localhost.example.org"] {
            assert!(!names_loopback(no), "{no}");
        }
    }
}
