//! The specifications of the documents in the language of mCRL2, and their requirements as formulas, as texts that the program
//! carries with it. Each text opens with its source and with a list of where it differs from what is printed; nothing is
//! searched here.

/// A specification after one of the documents.
#[derive(Clone, Copy, Debug)]
pub struct DocumentSpecification {
    /// The name of its file.
    pub name: &'static str,
    /// What it models, in a line.
    pub about: &'static str,
    /// The text.
    pub text: &'static str,
    /// Its requirements.
    pub formulas: &'static [DocumentFormula],
}

/// A requirement of a document on one of its specifications.
#[derive(Clone, Copy, Debug)]
pub struct DocumentFormula {
    /// The name of its file.
    pub name: &'static str,
    /// The text.
    pub text: &'static str,
}

/// All of them, in the order of the chapters.
pub const SPECIFICATIONS: [DocumentSpecification; 12] = [
    DocumentSpecification {
        name: "figure-3-1.mcrl2",
        about: "figure 3.1: p[0] of the binary heartbeat by itself",
        text: include_str!("../specs/figure-3-1.mcrl2"),
        formulas: &[],
    },
    DocumentSpecification {
        name: "figure-3-3.mcrl2",
        about: "figure 3.3: p[1] of the binary heartbeat by itself",
        text: include_str!("../specs/figure-3-3.mcrl2"),
        formulas: &[],
    },
    DocumentSpecification {
        name: "heartbeat-binary.mcrl2",
        about: "appendix A.1: the accelerated heartbeat of two processes",
        text: include_str!("../specs/heartbeat-binary.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "heartbeat-binary-r1.mcf",
                text: include_str!("../specs/heartbeat-binary-r1.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-binary-r2.mcf",
                text: include_str!("../specs/heartbeat-binary-r2.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-binary-r3.mcf",
                text: include_str!("../specs/heartbeat-binary-r3.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "heartbeat-static.mcrl2",
        about: "appendix A.2: three processes that are there from the beginning",
        text: include_str!("../specs/heartbeat-static.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "heartbeat-static-r1.mcf",
                text: include_str!("../specs/heartbeat-static-r1.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-static-r2.mcf",
                text: include_str!("../specs/heartbeat-static-r2.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-static-r3.mcf",
                text: include_str!("../specs/heartbeat-static-r3.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "heartbeat-expanding.mcrl2",
        about: "appendix A.3: a participant that joins",
        text: include_str!("../specs/heartbeat-expanding.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "heartbeat-expanding-r1.mcf",
                text: include_str!("../specs/heartbeat-expanding-r1.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-expanding-r2.mcf",
                text: include_str!("../specs/heartbeat-expanding-r2.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-expanding-r3.mcf",
                text: include_str!("../specs/heartbeat-expanding-r3.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "heartbeat-dynamic.mcrl2",
        about: "appendix A.4: a participant that joins and may leave",
        text: include_str!("../specs/heartbeat-dynamic.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "heartbeat-dynamic-r1.mcf",
                text: include_str!("../specs/heartbeat-dynamic-r1.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-dynamic-r2.mcf",
                text: include_str!("../specs/heartbeat-dynamic-r2.mcf"),
            },
            DocumentFormula {
                name: "heartbeat-dynamic-r3.mcf",
                text: include_str!("../specs/heartbeat-dynamic-r3.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "consensus-strong.mcrl2",
        about: "appendix B.1: consensus with weak accuracy, three processes",
        text: include_str!("../specs/consensus-strong.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "consensus-strong-r1.mcf",
                text: include_str!("../specs/consensus-strong-r1.mcf"),
            },
            DocumentFormula {
                name: "consensus-strong-r3.mcf",
                text: include_str!("../specs/consensus-strong-r3.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "consensus-rotating.mcrl2",
        about: "appendix B.2: consensus with rotating coordinators, three processes",
        text: include_str!("../specs/consensus-rotating.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "consensus-rotating-r1.mcf",
                text: include_str!("../specs/consensus-rotating-r1.mcf"),
            },
            DocumentFormula {
                name: "consensus-rotating-r3.mcf",
                text: include_str!("../specs/consensus-rotating-r3.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "membership-faults.mcrl2",
        about: "appendix C.1: the faults protocol of group membership, three processes",
        text: include_str!("../specs/membership-faults.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "membership-faults-r1.mcf",
                text: include_str!("../specs/membership-faults-r1.mcf"),
            },
            DocumentFormula {
                name: "membership-faults-r2.mcf",
                text: include_str!("../specs/membership-faults-r2.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "ring-ignore.mcrl2",
        about: "appendix D: the ring of three detectors, full channels ignore",
        text: include_str!("../specs/ring-ignore.mcrl2"),
        formulas: &[
            DocumentFormula {
                name: "ring-ignore-deadlock.mcf",
                text: include_str!("../specs/ring-ignore-deadlock.mcf"),
            },
            DocumentFormula {
                name: "ring-ignore-oscillation.mcf",
                text: include_str!("../specs/ring-ignore-oscillation.mcf"),
            },
        ],
    },
    DocumentSpecification {
        name: "ring-block.mcrl2",
        about: "appendix D: the ring of three detectors, full channels block",
        text: include_str!("../specs/ring-block.mcrl2"),
        formulas: &[DocumentFormula {
            name: "ring-block-deadlock.mcf",
            text: include_str!("../specs/ring-block-deadlock.mcf"),
        }],
    },
    DocumentSpecification {
        name: "ring-spec1.mcrl2",
        about: "appendix D.2: Spec1, what the ring may do",
        text: include_str!("../specs/ring-spec1.mcrl2"),
        formulas: &[],
    },
];

/// The text of the file with that name, a specification or a formula; the ending `.mcrl2` may be left out.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    let formulas = SPECIFICATIONS.iter().flat_map(|specification| specification.formulas);
    let named = |file: &str| file == name || file.strip_suffix(".mcrl2") == Some(name);
    SPECIFICATIONS
        .iter()
        .find(|specification| named(specification.name))
        .map(|specification| specification.text)
        .or_else(|| formulas.into_iter().find(|formula| formula.name == name).map(|formula| formula.text))
}
