//! `sweep`: maps of parameters, with conjectures, tables and pictures.

mod binary;

use binary::{Room, said, watchkeeper};
use serde_json::Value;

const GRID: [&str; 6] = ["sweep", "binary", "--tmin", "1..10", "--tmax", "1..10"];

#[test]
fn the_conditions_of_the_binary_protocol_are_conjectured() {
    let said = watchkeeper(&GRID);
    assert_eq!(said.code, 0, "{}", said.err);
    for part in [
        "binary, 1 participant, in dense time: where R1, R2 and R3 hold",
        "conjecture, from 55 cells: R1 holds exactly where 2*tmin > tmax",
        "conjecture, from 55 cells: R2 holds exactly where tmin < tmax",
        "conjecture, from 55 cells: R3 holds exactly where tmin < tmax",
        "   10 │ F F F F F T T T T T\n",
        "    1 │ F\n",
        "55 cells in ",
        "Again\n  watchkeeper sweep binary --tmin 1..10 --tmax 1..10 --property R1,R2,R3\n",
    ] {
        assert!(said.out.contains(part), "{part} is missing:\n{}", said.out);
    }
    let corrected = watchkeeper(&[&GRID[..], &["--corrected", "--property", "R1"]].concat());
    assert!(corrected.out.starts_with("binary, corrected, 1 participant, in dense time: where R1 holds"));
    assert!(corrected.out.contains("conjecture, from 55 cells: R1 always holds"), "{}", corrected.out);
}

#[test]
fn the_command_below_a_map_shows_a_failure() {
    let out = watchkeeper(&[&GRID[..], &["--property", "R1"]].concat()).out;
    let command =
        out.lines().find_map(|line| line.trim().strip_prefix("watchkeeper check ")).expect("a command");
    let said = watchkeeper(&[vec!["check"], command.split(' ').collect()].concat());
    assert_eq!(said.code, 12, "{command}: {}", said.err);
}

#[test]
fn every_cell_has_a_line_with_its_witness() {
    let room = Room::new("sweep-files");
    let (csv, svg, json) = (room.arg("map.csv"), room.arg("map.svg"), room.arg("map.json"));
    let outputs = ["--csv", &csv, "--svg", &svg, "--json", &json, "--quiet"];
    let said = watchkeeper(&[&GRID[..], &outputs[..]].concat());
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
    let table = room.read("map.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "tmin,tmax,property,verdict,steps,states,unit,seconds,witness,command");
    assert_eq!(lines.len(), 1 + 100 * 3);
    let of = |verdict: &str| lines.iter().filter(|line| line.contains(&format!(",{verdict},"))).count();
    assert_eq!((of("impossible"), of("holds"), of("violated")), (45 * 3, 30 + 45 + 45, 25 + 10 + 10));
    let cell = lines.iter().find(|line| line.starts_with("5,10,R1,")).expect("the cell");
    for part in ["violated,4,", ",zones,", "10: p0: Round fires", "--property R1 --tmin 5"] {
        assert!(cell.contains(part), "{part} is missing: {cell}");
    }
    assert!(room.read("map.svg").starts_with("<svg"));
    let json: Value = serde_json::from_str(&room.read("map.json")).expect("JSON");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(300));
    assert_eq!(json["notes"][0], "conjecture, from 55 cells: R1 holds exactly where 2*tmin > tmax");
    assert!(json["command"].as_str().is_some_and(|line| line.starts_with("watchkeeper sweep binary")));
}

#[test]
fn the_number_of_threads_and_the_model_of_time_change_no_cell() {
    let map = |args: &[&str]| {
        let out =
            watchkeeper(&[&["sweep", "expanding", "--tmin", "1..5", "--tmax", "2..6"], args].concat()).out;
        out.lines().filter(|line| line.contains('│')).map(str::to_string).collect::<Vec<_>>()
    };
    let one = map(&["--workers", "1"]);
    assert_eq!(one.len(), 15);
    assert_eq!(map(&["--workers", "2"]), one);
    assert_eq!(map(&["--time", "ticks"]), one);
}

#[test]
fn any_protocol_can_be_swept_also_along_a_line() {
    let args = ["sweep", "ring", "--n", "2..3", "--channel", "block:1", "--property", "deadlock"];
    let said = watchkeeper(&args);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("conjecture, from 2 cells: deadlock never holds"), "{}", said.out);
    let grid = [
        "sweep",
        "ring",
        "--n",
        "2..3",
        "--crashes",
        "0..1",
        "--channel",
        "drop:1",
        "--property",
        "deadlock",
    ];
    let said = watchkeeper(&grid);
    assert!(said.out.contains("deadlock holds in 4 of 4 cells"), "{}", said.out);
}

#[test]
fn a_limit_leaves_cells_open_and_keeps_the_others() {
    let said = watchkeeper(&[&GRID[..], &["--max-states", "15", "--property", "R1"]].concat());
    assert_eq!(said.code, 153, "{}", said.out);
    assert!(said.out.contains(" not decided") && said.out.contains('?'), "{}", said.out);
    let slow = ["sweep", "static", "--n", "3", "--tmin", "1..20", "--tmax", "20..24", "--timeout", "1ms"];
    let said = watchkeeper(&slow);
    assert_eq!(said.code, 153, "{}", said.out);
    assert!(said.out.contains("R1 holds in 0 of 100 cells, 100 not decided"), "{}", said.out);
}

#[test]
fn what_cannot_be_swept_is_refused() {
    let cases: [(&str, &str); 12] = [
        ("sweep", "which protocol?"),
        ("sweep binry --tmin 1..3", "did you mean `binary`?"),
        ("sweep binary", "give one or two parameters one"),
        ("sweep binary --tmin 5..1", "--tmin: 5..1 is empty"),
        ("sweep binary --tmin 1..x", "--tmin: `1..x` is not a range"),
        ("sweep binary --param tmn=1..4", "did you mean `tmin`?"),
        ("sweep binary --tmin 1..200 --tmax 1..200", "40000 cells are too many"),
        ("sweep binary --tmin 0..0", "--tmin: a tmin of 0"),
        ("sweep binary --tmin 5..9 --tmax 1..4", "--tmin: a tmin of 5 is above a tmax of 1"),
        ("sweep binary --tmin 1..3 --tmax 1..3 --n 1..2", "at most two parameters"),
        ("sweep binary --tmin 1..3 --property R9", "no property `R9`"),
        ("sweep binary --tmin 1..3 --csv - --json -", "two outputs go to standard output"),
    ];
    for (args, part) in cases {
        let said = watchkeeper(&args.split(' ').collect::<Vec<_>>());
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{args}: {}", said.err);
        assert!(said.err.contains(part), "{args}: `{part}` is missing in:\n{}", said.err);
    }
}

#[test]
fn progress_is_told_on_standard_error_only() {
    let said = said(&mut binary::program(&[&GRID[..], &["--csv", "-"]].concat()));
    assert!(said.out.starts_with("tmin,tmax,property,"), "{}", said.out);
    assert!(said.err.contains("where R1, R2 and R3 hold"), "{}", said.err);
}
