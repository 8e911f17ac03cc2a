//! The observer of a cluster: asks every node what it is doing, again and again, all on one thread and each over one
//! connection. How often depends on how many there are, so that to look on costs little beside what is looked at.

use super::asking::NodeView;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use watchkeeper_core::Pid;

/// How often each node is asked at most, and how much longer it is left alone for each node that there is.
pub(crate) const ASK: Duration = Duration::from_millis(100);
const EACH: Duration = Duration::from_millis(5);

/// How long a node has to answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest answer that is read.
const LONGEST: usize = 1 << 20;

/// Tells what each node says of itself, or that it does not answer, until nobody listens any more; all of it while
/// somebody wants it, else what is brief. Without a thread or an event loop they are nodes that do not answer.
pub(crate) fn observe<T, W>(nodes: Vec<(Pid, SocketAddr)>, wants_all: W, tell: T)
where
    T: Fn(Pid, Option<Box<NodeView>>) -> bool + Clone + Send + Sync + 'static,
    W: Fn() -> bool + Clone + Send + Sync + 'static,
{
    let _ = std::thread::Builder::new().name("observer".to_string()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        let pause = ASK.max(EACH * nodes.len() as u32);
        let count = nodes.len().max(1) as u32;
        let mut tasks = tokio::task::JoinSet::new();
        let _entered = runtime.enter();
        for (i, (process, http)) in nodes.into_iter().enumerate() {
            let (tell, wants_all) = (tell.clone(), wants_all.clone());
            // One after the other, not all at once.
            let first = pause * i as u32 / count;
            tasks.spawn(async move {
                tokio::time::sleep(first).await;
                let mut line = NodeLine { http, stream: None };
                while tell(process, line.ask(wants_all()).await.map(Box::new)) {
                    tokio::time::sleep(pause).await;
                }
            });
        }
        runtime.block_on(tasks.join_all());
    });
}

/// The connection to a node.
struct NodeLine {
    http: SocketAddr,
    stream: Option<TcpStream>,
}

impl NodeLine {
    /// What the node says of itself, if it says so in time.
    async fn ask(&mut self, all: bool) -> Option<NodeView> {
        let path = if all { "/status" } else { "/status?brief" };
        let answer = tokio::time::timeout(PATIENCE, self.answer(path)).await;
        let Ok(Ok(body)) = answer else {
            self.stream = None;
            return None;
        };
        NodeView::of(&serde_json::from_slice(&body).ok()?)
    }

    /// The body of an answer. A connection that the node has closed meanwhile is made again.
    async fn answer(&mut self, path: &str) -> io::Result<Vec<u8>> {
        if let Some(stream) = &mut self.stream
            && let Ok(body) = exchange(stream, self.http, path).await
        {
            return Ok(body);
        }
        let mut stream = TcpStream::connect(self.http).await?;
        let body = exchange(&mut stream, self.http, path).await;
        self.stream = body.is_ok().then_some(stream);
        body
    }
}

/// Asks over a connection that stays open.
async fn exchange(stream: &mut TcpStream, http: SocketAddr, path: &str) -> io::Result<Vec<u8>> {
    let question = format!("GET {path} HTTP/1.1\r\nHost: {http}\r\nConnection: keep-alive\r\n\r\n");
    stream.write_all(question.as_bytes()).await?;
    let mut answer = Vec::with_capacity(2048);
    loop {
        if let Some(body) = whole(&answer)? {
            return Ok(body.to_vec());
        }
        if answer.len() > LONGEST || stream.read_buf(&mut answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// The body of an answer once all of it is there; an error if it says anything but that all is well.
fn whole(answer: &[u8]) -> io::Result<Option<&[u8]>> {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let other = || io::Error::other("that is no status over HTTP");
    let head = std::str::from_utf8(&answer[..end]).map_err(|_| other())?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    match (head.split(' ').nth(1), length) {
        (Some("200"), Some(length)) if length <= LONGEST => Ok(answer.get(end + 4..end + 4 + length)),
        _ => Err(other()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_there_when_all_of_it_has_come() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
        for cut in 0..answer.len() {
            assert!(whole(&answer[..cut]).is_ok_and(|body| body.is_none()), "{cut}");
        }
        assert_eq!(whole(answer).ok().flatten(), Some(b"body".as_slice()));
        for other in
            ["HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nbody", "HTTP/1.1 200 OK\r\n\r\nbody", "x\r\n\r\n"]
        {
            assert!(whole(other.as_bytes()).is_err(), "{other}");
        }
    }
}
