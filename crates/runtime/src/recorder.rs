//! Writes the recording of a node, on a thread of its own: one line of JSON for each step. The node hands its lines over
//! before the datagrams of the step leave, and waits a moment for them to be written, so that in the ordinary case whatever
//! others have seen of a node that is killed is in the file. It waits no longer: a disk that is slow, full or frozen
//! changes nothing that the node does. If the lines pile up, or cannot be written, the recording ends and the node goes on.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};
use watchkeeper_node::{RecordLine, RecordedModel};

/// How many lines wait for the disk before the recording is given up.
const LINES: usize = 16 * 1024;

/// How long the node waits for its lines to be written while the disk keeps up.
const PROMPT: Duration = Duration::from_millis(1);

/// How long a node that has ended waits for the rest of its lines.
const LAST: Duration = Duration::from_secs(2);

/// The mark of a writer that failed, in place of how many lines it has written.
const FAILED: u64 = u64::MAX;

/// The file of a recording that has not begun yet.
#[derive(Debug)]
pub struct RunRecorder {
    /// None once the recording has begun.
    file: Option<File>,
    path: PathBuf,
    about: RecordedModel,
}

impl RunRecorder {
    /// Creates the file, which must not be there yet.
    pub fn create(path: impl AsRef<Path>, about: RecordedModel) -> io::Result<RunRecorder> {
        let path = path.as_ref();
        let file = File::create_new(path)?;
        Ok(RunRecorder { file: Some(file), path: path.to_path_buf(), about })
    }

    /// Writes to a file that is open already.
    pub fn onto(file: File, about: RecordedModel) -> RunRecorder {
        RunRecorder { file: Some(file), path: PathBuf::new(), about }
    }

    pub(crate) fn model(&self) -> RecordedModel {
        self.about.clone()
    }

    pub(crate) fn begin(mut self) -> io::Result<RecordingQueue> {
        let file = self.file.take().ok_or(io::ErrorKind::NotFound)?;
        RecordingQueue::start(file, std::mem::take(&mut self.path))
    }
}

/// A node that never began leaves no empty file behind.
impl Drop for RunRecorder {
    fn drop(&mut self) {
        if self.file.is_some() && !self.path.as_os_str().is_empty() {
            // If it cannot be removed, it is empty all the same.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A line for the writer, and who waits for it.
type Entry = (RecordLine, Thread);

/// The lines that wait for the disk.
pub(crate) struct RecordingQueue {
    pub(crate) path: PathBuf,
    lines: Option<SyncSender<Entry>>,
    writer: Option<JoinHandle<io::Result<()>>>,
    progress: Arc<AtomicU64>,
    handed_over: u64,
    /// Whether the disk kept up the last time.
    prompt: bool,
}

impl RecordingQueue {
    fn start(file: File, path: PathBuf) -> io::Result<RecordingQueue> {
        let (lines, waiting) = sync_channel::<Entry>(LINES);
        let progress = Arc::new(AtomicU64::new(0));
        let written = Arc::clone(&progress);
        let work = move || {
            let result = write_all(file, &waiting, &written);
            if result.is_err() {
                written.store(FAILED, Ordering::Release);
            }
            result
        };
        let writer = thread::Builder::new().name("recorder".to_string()).spawn(work)?;
        let (lines, writer) = (Some(lines), Some(writer));
        Ok(RecordingQueue { path, lines, writer, progress, handed_over: 0, prompt: true })
    }

    /// Hands a line over; says why the recording must end if it must.
    pub(crate) fn push(&mut self, line: RecordLine) -> Result<(), String> {
        let Some(lines) = &self.lines else { return Ok(()) };
        match lines.try_send((line, thread::current())) {
            Ok(()) => {
                self.handed_over += 1;
                Ok(())
            }
            Err(TrySendError::Full(_)) => Err(format!(
                "the disk is too slow: {LINES} lines wait for it; record to a faster disk, or record less"
            )),
            Err(TrySendError::Disconnected(_)) => Err(self.failure()),
        }
    }

    /// Waits a moment until what was handed over is written, if the disk has kept up so far.
    pub(crate) fn settle(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        loop {
            let written = self.progress.load(Ordering::Acquire);
            if written == FAILED {
                return Err(self.failure());
            }
            if written >= self.handed_over {
                self.prompt = true;
                return Ok(());
            }
            let left = PROMPT.saturating_sub(begun.elapsed());
            if !self.prompt || left.is_zero() {
                self.prompt = false;
                return Ok(());
            }
            // The writer wakes this thread; the rest of the moment is for the case that it does not.
            thread::park_timeout(left);
        }
    }

    /// Ends the recording: the rest of the lines is written if the disk takes them soon.
    pub(crate) fn finish(mut self) {
        self.lines = None;
        let begun = Instant::now();
        while self.writer.as_ref().is_some_and(|writer| !writer.is_finished()) && begun.elapsed() < LAST {
            thread::park_timeout(Duration::from_millis(1));
        }
    }

    fn failure(&mut self) -> String {
        self.lines = None;
        let result = self.writer.take().map(JoinHandle::join);
        match result {
            Some(Ok(Err(why))) => why.to_string(),
            _ => "the thread that writes it has ended".to_string(),
        }
    }
}

/// Writes lines until nobody hands over more. A line is written whole: what is in the file after a crash is complete but for
/// its end.
fn write_all(mut file: File, waiting: &Receiver<Entry>, written: &AtomicU64) -> io::Result<()> {
    let mut text = Vec::with_capacity(4096);
    while let Ok((line, thread)) = waiting.recv() {
        let (mut count, mut waiter) = (1, thread);
        text.clear();
        append(&mut text, &line)?;
        // What has piled up meanwhile goes with it.
        while text.len() < 1 << 16
            && let Ok((line, thread)) = waiting.try_recv()
        {
            append(&mut text, &line)?;
            (count, waiter) = (count + 1, thread);
        }
        file.write_all(&text)?;
        written.fetch_add(count, Ordering::Release);
        waiter.unpark();
    }
    Ok(())
}

fn append(text: &mut Vec<u8>, line: &RecordLine) -> io::Result<()> {
    serde_json::to_writer(&mut *text, line)?;
    text.push(b'\n');
    Ok(())
}
