//! A tap on the wire between two nodes. It passes on everything as it came.

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Sits between two nodes, passes everything on, and keeps copies of what goes one way.
pub struct Tap {
    taken: Arc<Mutex<Vec<Vec<u8>>>>,
    over: Arc<AtomicBool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Tap {
    pub fn new() -> Tap {
        Tap { taken: Arc::default(), over: Arc::default(), threads: Mutex::default() }
    }

    /// Two sockets: one that leads to the second target and one that leads to the first, each seen as the source of what
    /// comes back. What goes to the first target is kept.
    pub fn between(&self, first: SocketAddr, second: SocketAddr) -> [Arc<UdpSocket>; 2] {
        let open = || Arc::new(UdpSocket::bind("127.0.0.1:0").expect("a socket"));
        let (to_second, to_first) = (open(), open());
        self.pass_on(Arc::clone(&to_second), Arc::clone(&to_first), second, false);
        self.pass_on(Arc::clone(&to_first), Arc::clone(&to_second), first, true);
        [to_second, to_first]
    }

    fn pass_on(&self, entrance: Arc<UdpSocket>, exit: Arc<UdpSocket>, target: SocketAddr, keep: bool) {
        entrance.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
        let (taken, over) = (Arc::clone(&self.taken), Arc::clone(&self.over));
        let pass_on = move || {
            let mut buffer = [0; 2048];
            while !over.load(Relaxed) {
                let Ok((length, _)) = entrance.recv_from(&mut buffer) else { continue };
                let mut taken = taken.lock().expect("unpoisoned");
                if keep && taken.len() < 1000 {
                    taken.push(buffer[..length].to_vec());
                }
                drop(taken);
                exit.send_to(&buffer[..length], target).expect("sent on");
            }
        };
        self.threads.lock().expect("unpoisoned").push(std::thread::spawn(pass_on));
    }

    pub fn taken(&self) -> Vec<Vec<u8>> {
        self.taken.lock().expect("unpoisoned").clone()
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
    }
}
