//! One process of the ring: its variables, and the steps that it may take. Nothing here knows the channels or
//! the other processes; whether a send may happen is for the ring to say.

/// The number of processes in the ring.
pub const PROCESSES: u8 = 3;

/// The two kinds of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ARE-YOU-ALIVE.
    Query = 1,
    /// I-AM-ALIVE.
    Reply = 2,
}

/// Where a process stands between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The main choice between all steps.
    Main = 0,
    /// Just after a reply went out, all variables as before.
    Replied = 1,
    /// Between the two announcements that end a suspicion.
    Stopping = 2,
    /// Crashed: no step is left.
    Crashed = 3,
}

/// The variables of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Where it stands.
    pub point: Point,
    /// The process that it watches.
    pub target: u8,
    /// A query to the target is under way.
    pub sent: bool,
    /// The last query was answered.
    pub received: bool,
    /// The suspected processes, one bit each.
    pub suspects: u8,
    /// The sender of the message taken last.
    pub from: u8,
    /// The message taken last.
    pub message: Option<Kind>,
    /// That message has yet to be handled.
    pub holding: bool,
}

impl Local {
    /// How many bits a packed process needs.
    pub const BITS: u32 = 14;

    /// The one state of a crashed process.
    pub const CRASHED: Local = Local {
        point: Point::Crashed,
        target: 0,
        sent: false,
        received: false,
        suspects: 0,
        from: 0,
        message: None,
        holding: false,
    };

    /// Process `me` at the start: it watches its successor and suspects nobody.
    pub fn initial(me: u8) -> Local {
        Local { point: Point::Main, target: successor(me), ..Local::CRASHED }
    }

    /// The process as a number below 2^`BITS`.
    pub fn pack(self) -> u64 {
        let message = self.message.map_or(0, |kind| kind as u64);
        self.point as u64
            | u64::from(self.target) << 2
            | u64::from(self.sent) << 4
            | u64::from(self.received) << 5
            | u64::from(self.suspects) << 6
            | u64::from(self.from) << 9
            | message << 11
            | u64::from(self.holding) << 13
    }

    /// The process that `pack` made `bits` of; higher bits do not matter.
    pub fn unpack(bits: u64) -> Local {
        let point = match bits & 3 {
            0 => Point::Main,
            1 => Point::Replied,
            2 => Point::Stopping,
            _ => Point::Crashed,
        };
        let message = match bits >> 11 & 3 {
            1 => Some(Kind::Query),
            2 => Some(Kind::Reply),
            _ => None,
        };
        Local {
            point,
            target: (bits >> 2 & 3) as u8,
            sent: bits >> 4 & 1 == 1,
            received: bits >> 5 & 1 == 1,
            suspects: (bits >> 6 & 7) as u8,
            from: (bits >> 9 & 3) as u8,
            message,
            holding: bits >> 13 & 1 == 1,
        }
    }

    /// Whether `process` is suspected.
    pub fn suspects(&self, process: u8) -> bool {
        self.suspects >> process & 1 == 1
    }

    /// The process as its choices see it: after a reply to a process that is not suspected it goes on as in
    /// the main point, with its message handled.
    pub fn resumed(mut self) -> Local {
        if self.point == Point::Replied && !self.suspects(self.from) {
            self.point = Point::Main;
            self.holding = false;
        }
        self
    }

    /// After a query to the target.
    pub fn asked(self) -> Local {
        Local { sent: true, received: false, ..self }
    }

    /// After the target became suspected.
    pub fn suspecting(self) -> Local {
        Local {
            sent: false,
            suspects: self.suspects | 1 << self.target,
            target: successor(self.target),
            ..self
        }
    }

    /// After a message was taken from its channel.
    pub fn taken(self, from: u8, kind: Kind) -> Local {
        Local { from, message: Some(kind), holding: true, ..self }
    }

    /// After the reply to the query in hand.
    pub fn replied(self) -> Local {
        Local { point: Point::Replied, ..self }
    }

    /// After the announcement that the sender of the message in hand is no longer suspected. A suspected
    /// predecessor of the target calls for a second announcement, and then only the sender matters.
    pub fn trusting(self) -> Local {
        let rest = self.suspects & !(1 << self.from);
        if rest >> predecessor(self.target) & 1 == 1 {
            Local { point: Point::Stopping, from: self.from, target: self.target, ..Local::CRASHED }
        } else {
            self.watching(rest)
        }
    }

    /// After the second announcement.
    pub fn trusting_all(self) -> Local {
        self.watching(0)
    }

    /// After the reply in hand was handled: it counts if it comes from the target.
    pub fn answered(self) -> Local {
        if self.from == self.target {
            Local { sent: false, received: true, holding: false, ..self }
        } else {
            Local { holding: false, ..self }
        }
    }

    /// The sender of the message in hand is the target from now on.
    fn watching(self, suspects: u8) -> Local {
        Local { point: Point::Main, target: self.from, received: true, suspects, ..Local::CRASHED }
    }
}

/// The next process around the ring.
pub fn successor(process: u8) -> u8 {
    if process + 1 == PROCESSES { 0 } else { process + 1 }
}

/// The previous process around the ring.
pub fn predecessor(process: u8) -> u8 {
    if process == 0 { PROCESSES - 1 } else { process - 1 }
}
