//! Certificates of regions on the command line: what `regions` writes, `recheck` verifies from the command in the file
//! alone, and what was changed it does not.

mod binary;

use binary::{Room, program, said, watchkeeper};
use serde_json::Value;

const R1: [&str; 8] = ["regions", "binary", "--param", "tmin", "--param", "tmax", "--property", "R1"];

fn solvers() -> bool {
    !watchkeeper_prove::solver::for_tests().is_empty()
}

/// A certificate of R1 of the binary protocol.
fn written(room: &Room) -> String {
    let file = room.arg("region.txt");
    let said = watchkeeper(&[&R1[..], &["--certificate", &file, "-q"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    room.read("region.txt")
}

#[test]
fn a_region_is_verified_from_the_command_in_its_file() {
    let room = Room::new("region-certificate");
    let text = written(&room);
    assert!(text.starts_with("watchkeeper-region-certificate 1\n"), "{text}");
    assert!(text.contains("\ncommand watchkeeper regions binary --param tmin --param tmax"), "{text}");
    if !solvers() {
        return;
    }
    let file = room.arg("region.txt");
    // What the environment says is no part of the command in the file.
    let verified = said(program(&["recheck", &file]).env("WATCHKEEPER_N", "2"));
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    let first = verified.out.lines().next().unwrap_or_default();
    let begin = "VERIFIED: binary R1 holds where tmin <= tmax and 2*tmin > tmax; ";
    assert!(first.starts_with(begin) && first.ends_with("obligations"), "{first}");
    let json = watchkeeper(&["recheck", &file, "--json", "-", "-q"]).out;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["verdict"], &json["kind"]), (&"verified".into(), &"regions".into()));
    assert_eq!(json["region"]["name"], "binary R1");
    let all = watchkeeper_prove::solver::for_tests().len();
    assert_eq!(json["solvers"].as_array().map(Vec::len), Some(all));
    for solver in json["solvers"].as_array().into_iter().flatten() {
        let duties = &solver["duties"];
        assert_eq!((&duties["cover"], &duties["domain"]), (&2.into(), &1.into()), "{solver}");
        assert!(duties["step"].as_u64() > Some(10), "{solver}");
    }
    let other = watchkeeper(&["recheck", &file, "--theorem", "binary R1"]);
    assert_eq!(other.code, 20, "{}{}", other.out, other.err);
    assert!(other.out.starts_with("ANOTHER CLAIM: "), "{}", other.out);
}

#[test]
fn what_was_changed_is_not_verified() {
    if !solvers() {
        return;
    }
    let room = Room::new("region-certificate-changed");
    let text = written(&room);
    let code = |name: &str, changed: String| {
        assert_ne!(changed, text, "{name}");
        let said = watchkeeper(&["recheck", &room.file(name, &changed)]);
        (said.code, format!("{}{}", said.out, said.err))
    };
    let (found, told) = code("region", text.replace("> 2 -1 0\n", "> 9 -4 0\n"));
    assert!(found == 12 && told.starts_with("NOT VERIFIED: ") && told.contains("! refuted: "), "{told}");
    let (found, told) = code("property", text.replace("--property R1", "--property R2"));
    assert!(found == 12, "{found} {told}");
    for (name, changed, part) in [
        ("cut", text[..text.len() / 2].to_string(), "certificate"),
        ("turned", text.replace("parameters tmin tmax", "parameters tmax tmin"), "belongs to another model"),
        ("properties", text.replace("--property R1", "--property R1,R2"), "does not name one property"),
        ("command", text.replace("watchkeeper regions", "watchkeeper list"), "asks for no regions"),
        ("protocol", text.replace("regions binary", "regions other"), "asks for no regions"),
        ("file", text.replace("regions binary", "regions other.toml"), "names a scenario file"),
        ("quotation", text.replace("--property R1", "--property 'R1"), "a quotation does not end"),
    ] {
        let (found, told) = code(name, changed);
        assert!(found == 150 && told.contains(part), "{name}: {found} {told}");
    }
}

#[test]
fn a_certificate_is_of_one_property() {
    let room = Room::new("region-certificate-several");
    let file = room.arg("regions.txt");
    let said = watchkeeper(&[&R1[..6], &["--property", "R1,R2", "--certificate", &file]].concat());
    assert_eq!(said.code, 150, "{}", said.out);
    assert!(said.err.contains("a certificate is of one property; name it with --property"), "{}", said.err);
}
