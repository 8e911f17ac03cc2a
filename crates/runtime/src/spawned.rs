//! The shell on Tokio: one task owns everything that a node has, so a protocol is never entered twice. It wakes for a
//! datagram, for the node's next timeout, or for a command.

use crate::StartError;
use crate::shell::Shell;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::sync::{mpsc, oneshot};
use watchkeeper_core::Pid;
use watchkeeper_node::{KeyRing, Status};

/// What a handle asks of its node.
pub(crate) enum Command {
    /// A packed call.
    Call(Vec<u8>, oneshot::Sender<()>),
    Status(oneshot::Sender<Box<Status>>),
    Rotate(Box<KeyRing>, oneshot::Sender<()>),
    Readdress(Pid, SocketAddr, oneshot::Sender<()>),
    Leave,
    Shutdown,
}

/// A node that runs as a task.
pub(crate) struct SpawnedNode {
    shell: Shell,
    /// The same socket, to wait for it. Sending never waits, and receiving must not wait for Tokio to notice.
    socket: UdpSocket,
    orders: mpsc::Receiver<Command>,
}

impl SpawnedNode {
    pub(crate) fn new(shell: Shell, orders: mpsc::Receiver<Command>) -> Result<SpawnedNode, StartError> {
        let address = shell.socket.address();
        let socket = shell.socket.plain().try_clone().and_then(UdpSocket::from_std);
        let socket = socket.map_err(|why| StartError::Bind { address, why })?;
        Ok(SpawnedNode { shell, socket, orders })
    }

    /// Runs until it is told to end.
    pub(crate) async fn run(mut self) {
        let sleep = tokio::time::sleep(Duration::ZERO);
        tokio::pin!(sleep);
        let mut listening = true;
        while let Some(wake) = self.shell.node.next_timeout() {
            sleep.as_mut().reset(self.shell.clock.instant(wake).into());
            let mut command = None;
            tokio::select! {
                biased;
                () = &mut sleep => {}
                ready = self.socket.readable() => if ready.is_err() {
                    self.shell.node.counters().receive_errors.add(1);
                },
                order = self.orders.recv(), if listening => match order {
                    Some(order) => command = Some(order),
                    // Nobody is left to give orders; the node goes on.
                    None => listening = false,
                },
            }
            // The system is asked first, because a timer may be about to fire: what has arrived must not wait for Tokio to
            // notice. Tokio is asked afterwards, so that it knows when there is nothing more.
            self.shell.turn();
            let Self { shell, socket, .. } = &mut self;
            let more = socket.try_io(Interest::READABLE, || shell.receive());
            // A socket that always has something must not keep commands waiting.
            if let Some(command) = command.or_else(|| self.orders.try_recv().ok()) {
                self.obey(command);
            }
            // A flood of datagrams must not starve the tasks that share this thread.
            if !more.is_err_and(|why| why.kind() == io::ErrorKind::WouldBlock) {
                tokio::task::yield_now().await;
            }
        }
        self.shell.close();
    }

    fn obey(&mut self, command: Command) {
        // Whoever asked may have gone away, and need not be answered then.
        match command {
            Command::Call(call, done) => {
                self.shell.call(&call);
                let _ = done.send(());
            }
            Command::Status(answer) => {
                let _ = answer.send(Box::new(self.shell.status()));
            }
            Command::Rotate(keys, done) => {
                self.shell.rotate(&keys);
                let _ = done.send(());
            }
            Command::Readdress(peer, address, done) => {
                self.shell.readdress(peer, address);
                let _ = done.send(());
            }
            Command::Leave => self.shell.leave(),
            Command::Shutdown => self.shell.shutdown(),
        }
    }
}
