//! The look of a drawing: one style sheet, embedded, for light and dark pages. It uses neither variables
//! nor scripts, so that simple renderers and pages that block scripts show it too.

/// A colour on light paper, and on dark.
struct Colour(&'static str, &'static str);

const PAPER: Colour = Colour("#ffffff", "#0d1117");
const INK: Colour = Colour("#1f2328", "#e6edf3");
const FAINT: Colour = Colour("#656d76", "#8b949e");
const HAIR: Colour = Colour("#b6bec8", "#4b535d");
const BOX: Colour = Colour("#f3f5f8", "#1b222b");
const ALARM: Colour = Colour("#c4202c", "#ff7b72");
const ALARM_BOX: Colour = Colour("#fdecec", "#3b1719");
const RELIEF: Colour = Colour("#1a7435", "#4cc463");
const RELIEF_BOX: Colour = Colour("#e6f6ea", "#12301b");
const CAUTION: Colour = Colour("#915900", "#dda73a");
const CAUTION_BOX: Colour = Colour("#fff3da", "#35280c");
/// Kinds of messages take turns.
pub(crate) const KINDS: [(&str, &str); 5] = [
    ("#1f5fd0", "#6cb0ff"),
    ("#0b766e", "#38c9ba"),
    ("#7f3fc4", "#c296ff"),
    ("#a63d77", "#f283bd"),
    ("#4f5d6b", "#b1bac4"),
];

const FONT: &str =
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif";

/// The style element, with rules of a drawing's own at its end.
pub(crate) fn style(extra: &str) -> String {
    format!(
        "<style>\n\
         text{{{FONT};font-size:13px;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}}\n\
         .end{{text-anchor:end}}.mid{{text-anchor:middle}}.small{{font-size:11px}}\n\
         .name{{font-weight:600}}.strong{{font-weight:600}}.note{{font-style:italic}}\n\
         .bare{{stroke:none}}\n\
         line,path{{fill:none;stroke-width:1.7}}\n\
         .life{{stroke-width:1.5}}.leader{{stroke-width:1;stroke-dasharray:2 3}}\n\
         .wait{{stroke-dasharray:2.5 3.5}}.bold{{stroke-width:3.2;stroke-linecap:round}}\n\
         .bar{{stroke-width:7}}.box{{stroke-width:1.2}}\n\
         {}@media (prefers-color-scheme:dark){{\n{}}}\n{extra}</style>",
        colours(|colour| colour.0, |kind| kind.0),
        colours(|colour| colour.1, |kind| kind.1),
    )
}

fn colours(
    of: impl Fn(Colour) -> &'static str,
    of_kind: impl Fn((&'static str, &'static str)) -> &'static str,
) -> String {
    let mut rules = String::new();
    let mut rule = |text: String| {
        rules.push_str(&text);
        rules.push('\n');
    };
    rule(format!(".paper{{fill:{0}}}text{{fill:{1};stroke:{0}}}.bare{{stroke:none}}", of(PAPER), of(INK)));
    rule(format!(".faint{{fill:{}}}.life,.leader{{stroke:{}}}", of(FAINT), of(HAIR)));
    rule(format!(".box{{fill:{};stroke:{}}}.band{{fill:{}}}", of(BOX), of(HAIR), of(BOX)));
    for (name, colour, tint) in [
        ("alarm", ALARM, ALARM_BOX),
        ("relief", RELIEF, RELIEF_BOX),
        ("caution", CAUTION, CAUTION_BOX),
        ("ink", INK, BOX),
    ] {
        let (colour, tint) = (of(colour), of(tint));
        rule(format!(
            "text.{name}{{fill:{colour}}}line.{name},path.{name},circle.{name}{{stroke:{colour}}}\
             .{name}-fill{{fill:{colour}}}.{name}-tint{{fill:{tint}}}.{name}-on{{stroke:{tint}}}"
        ));
    }
    rule(format!(".hollow{{fill:{};stroke-width:1.7}}", of(PAPER)));
    for (i, kind) in KINDS.into_iter().enumerate() {
        let colour = of_kind(kind);
        rule(format!(
            "text.k{i}{{fill:{colour}}}line.k{i},path.k{i},circle.k{i}{{stroke:{colour}}}\
             .k{i}-fill{{fill:{colour};stroke:{colour}}}"
        ));
    }
    rules
}
