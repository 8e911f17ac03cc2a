//! The questions whose zones are counted, and how they are put to the command line. Each says which verdict it
//! expects, so that a search that ends early for a wrong reason is never taken for a fast one.

/// How time passes in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Continuously, in zones.
    Dense,
    /// One unit at a time.
    Ticks,
}

impl Time {
    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Time::Dense => "dense",
            Time::Ticks => "ticks",
        }
    }

    /// What is counted.
    pub fn unit(self) -> &'static str {
        match self {
            Time::Dense => "zones",
            Time::Ticks => "states",
        }
    }
}

/// A question to a heartbeat protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The protocol.
    pub protocol: &'static str,
    /// How many participants there are besides p0.
    pub participants: u8,
    /// The shortest and the longest round.
    pub rounds: (u32, u32),
    /// The corrected form of the protocol.
    pub corrected: bool,
    /// What is asked.
    pub property: &'static str,
    /// One state of each set that differs by a renaming of participants.
    pub symmetry: bool,
    /// The verdict, as the JSON spells it.
    pub verdict: &'static str,
}

impl Case {
    /// The longest that a search in ticks may take, in seconds by the clock.
    pub const TICKS_LIMIT: u32 = 60;

    /// The name of the case in tables.
    pub fn name(&self) -> String {
        let (tmin, tmax) = self.rounds;
        let form = if self.corrected { "corrected " } else { "" };
        let symmetry = if self.symmetry { ", symmetry" } else { "" };
        format!(
            "{form}{} {} at ({tmin}, {tmax}), {}{symmetry}",
            self.protocol, self.participants, self.property
        )
    }

    /// The words after the program's name. Heartbeat protocols are reduced by symmetry unless the line forbids it.
    pub fn arguments(&self, time: Time, workers: u8) -> Vec<String> {
        let (tmin, tmax) = self.rounds;
        let mut line = format!(
            "check {} --n {} --tmin {tmin} --tmax {tmax} --property {} --time {} --workers {workers} \
             --corrected={} --symmetry={}",
            self.protocol,
            self.participants,
            self.property,
            time.name(),
            self.corrected,
            self.symmetry
        );
        if time == Time::Ticks {
            line += &format!(" --timeout {}s", Case::TICKS_LIMIT);
        }
        line.split(' ').map(String::from).collect()
    }
}

/// All cases, in the order of the table.
pub fn all() -> Vec<Case> {
    // The original violates R1 after a few steps, so only a question without monitors searches its whole space.
    let original = Case {
        protocol: "static",
        participants: 2,
        rounds: (1, 10),
        corrected: false,
        property: "time-lock",
        symmetry: false,
        verdict: "holds",
    };
    let two = Case { corrected: true, property: "R1", ..original.clone() };
    let three = Case { participants: 3, ..two.clone() };
    let three_alike = Case { symmetry: true, ..three.clone() };
    let three_one = Case { property: "R1:p1", ..three_alike.clone() };
    let mut cases = vec![original, two.clone(), three, three_alike, three_one];
    for (protocol, participants) in [("binary", 1), ("static", 2), ("expanding", 1), ("dynamic", 1)] {
        for (corrected, verdict) in [(false, "violated"), (true, "holds")] {
            let rounds = (1_000, 10_000);
            cases.push(Case { protocol, participants, rounds, corrected, verdict, ..two.clone() });
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        let cases = all();
        assert_eq!(
            cases[1].arguments(Time::Dense, 2).join(" "),
            "check static --n 2 --tmin 1 --tmax 10 --property R1 --time dense --workers 2 --corrected=true \
             --symmetry=false"
        );
        assert_eq!(
            cases[4].arguments(Time::Ticks, 1).join(" "),
            "check static --n 3 --tmin 1 --tmax 10 --property R1:p1 --time ticks --workers 1 \
             --corrected=true --symmetry=true --timeout 60s"
        );
    }

    #[test]
    fn names_tell_the_cases_apart() {
        let mut names: Vec<_> = all().iter().map(Case::name).collect();
        assert_eq!(names[0], "static 2 at (1, 10), time-lock");
        assert_eq!(names[3], "corrected static 3 at (1, 10), R1, symmetry");
        assert_eq!(names[5], "binary 1 at (1000, 10000), R1");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 13);
    }
}
