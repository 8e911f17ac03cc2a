//! The datagrams of the handshake, what its environment asks of a node, and what a node announces. Cryptography is
//! symbolic: a datagram names the key that seals it, and only holders of that key make one.

use watchkeeper_core::{Datum, DatumSort, Kind, KindData, Pack, Slot};

/// The challenge, the life and the number that only an attacker uses: the highest that there is.
pub const HIGHEST: u8 = 9;

/// A key of the cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum WireKey {
    /// The key that the attacker has.
    Old,
    /// The key that takes its place.
    New,
}

/// What a greeting says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct Greeting {
    /// The key that seals it.
    pub key: WireKey,
    /// The life of its sender.
    pub life: u8,
    /// A challenge of its sender.
    pub mine: u8,
    /// The challenge of the receiver that it echoes; 0 if none.
    pub yours: u8,
}

/// The key of a session, in one direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct SessionKey {
    /// The key of the cluster from which it is derived.
    pub key: WireKey,
    /// The life of the sender.
    pub life: u8,
    /// The life of the receiver.
    pub peer_life: u8,
    /// The challenge of the sender.
    pub mine: u8,
    /// The challenge of the receiver.
    pub yours: u8,
}

/// A datagram that is sealed under a session: a message of the protocol above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct SealedMessage {
    /// The key.
    pub session: SessionKey,
    /// The number, which is the nonce.
    pub number: u8,
}

/// What goes over the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum HandshakeMsg {
    /// A greeting.
    Hello(Greeting),
    /// A message of the protocol above.
    Message(SealedMessage),
    /// A datagram of the attacker under the old key. Its content is chosen when it arrives, so that a search has one
    /// such datagram in flight and not one for each content.
    Forgery,
}

impl Kind for HandshakeMsg {
    const KINDS: &'static [&'static str] = &["hello", "message", "forgery"];

    fn kind(&self) -> usize {
        match self {
            HandshakeMsg::Hello(_) => 0,
            HandshakeMsg::Message(_) => 1,
            HandshakeMsg::Forgery => 2,
        }
    }

    fn label(&self) -> String {
        match self {
            HandshakeMsg::Hello(hello) => hello.label(),
            HandshakeMsg::Message(message) => message.label(),
            HandshakeMsg::Forgery => "forgery".to_string(),
        }
    }

    fn data() -> Vec<KindData> {
        vec![
            KindData::new("hello", Greeting::sorts()),
            KindData::new("message", SealedMessage::sorts()),
            KindData::new("forgery", Vec::new()),
        ]
    }

    fn terms(&self) -> Vec<String> {
        match self {
            HandshakeMsg::Hello(hello) => hello.terms(),
            HandshakeMsg::Message(message) => message.terms(),
            HandshakeMsg::Forgery => Vec::new(),
        }
    }
}

impl Datum for WireKey {
    fn sort() -> DatumSort {
        DatumSort::declared("WireKey", "struct old | new".to_string(), Vec::new())
    }

    fn term(&self) -> String {
        self.to_string()
    }
}

impl SessionKey {
    fn sorts() -> Vec<DatumSort> {
        vec![WireKey::sort(), u8::sort(), u8::sort(), u8::sort(), u8::sort()]
    }

    fn terms(&self) -> Vec<String> {
        let SessionKey { key, life, peer_life, mine, yours } = self;
        vec![key.term(), life.term(), peer_life.term(), mine.term(), yours.term()]
    }
}

impl Greeting {
    fn sorts() -> Vec<DatumSort> {
        vec![WireKey::sort(), u8::sort(), u8::sort(), u8::sort()]
    }

    fn terms(&self) -> Vec<String> {
        let Greeting { key, life, mine, yours } = self;
        vec![key.term(), life.term(), mine.term(), yours.term()]
    }

    fn label(&self) -> String {
        let Greeting { key, life, mine, yours } = self;
        format!("hello life {life}, {mine}/{yours}, {key} key")
    }
}

impl SealedMessage {
    fn sorts() -> Vec<DatumSort> {
        [SessionKey::sorts(), vec![u8::sort()]].concat()
    }

    fn terms(&self) -> Vec<String> {
        [self.session.terms(), vec![self.number.term()]].concat()
    }

    fn label(&self) -> String {
        let SessionKey { key, life, mine, yours, .. } = self.session;
        format!("message {}, life {life}, {mine}/{yours}, {key} key", shown(self.number))
    }
}

fn shown(number: u8) -> String {
    if number == HIGHEST { "highest".to_string() } else { format!("#{number}") }
}

/// What the environment asks of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum HandshakeCall {
    /// To send a message to its peer, under its session.
    #[kind("say")]
    Say,
    /// To restart: a new life that remembers nothing.
    #[kind("restart")]
    Restart,
    /// To take the next step of a rotation: add the new key, make it the current one, remove the old one.
    #[kind("rotate")]
    Rotate,
}

/// The timers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum HandshakeTimer {
    /// The time for a node to greet.
    #[slot("greet")]
    Greet,
    /// The time for the attacker to forge.
    #[slot("forge")]
    Forge,
}

/// The announcements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum HandshakeOutput {
    /// A session is open, in which the peer sends with this key.
    Open(SessionKey),
    /// A message was accepted.
    Accept {
        /// The message.
        message: SealedMessage,
        /// Whether its key comes from one that the attacker has and that is still in the ring.
        exposed: bool,
    },
    /// A forged datagram arrives, and this is its content.
    Forged(ForgedContent),
}

/// The content of a forged datagram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum ForgedContent {
    /// A greeting.
    Hello(Greeting),
    /// A message under a session that was derived from the old key.
    Message(SealedMessage),
}

impl Kind for HandshakeOutput {
    const KINDS: &'static [&'static str] = &["open", "accept", "forged"];

    fn kind(&self) -> usize {
        match self {
            HandshakeOutput::Open(_) => 0,
            HandshakeOutput::Accept { .. } => 1,
            HandshakeOutput::Forged(_) => 2,
        }
    }

    fn label(&self) -> String {
        match self {
            HandshakeOutput::Open(SessionKey { key, life, mine, yours, .. }) => {
                format!("open with life {life}, {yours}/{mine}, {key} key")
            }
            HandshakeOutput::Accept { message, .. } => format!("accept {}", shown(message.number)),
            HandshakeOutput::Forged(ForgedContent::Hello(hello)) => format!("it reads: {}", hello.label()),
            HandshakeOutput::Forged(ForgedContent::Message(message)) => {
                format!("it reads: {}", message.label())
            }
        }
    }

    fn data() -> Vec<KindData> {
        vec![
            KindData::new("open", SessionKey::sorts()),
            KindData::new("accept", [SealedMessage::sorts(), vec![bool::sort()]].concat()),
            KindData::new("forged", Vec::new()),
        ]
    }

    fn terms(&self) -> Vec<String> {
        match self {
            HandshakeOutput::Open(session) => session.terms(),
            HandshakeOutput::Accept { message, exposed } => [message.terms(), vec![exposed.term()]].concat(),
            HandshakeOutput::Forged(_) => Vec::new(),
        }
    }
}
