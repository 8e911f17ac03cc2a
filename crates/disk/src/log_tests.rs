//! Tests of the log: what is read again, what is cut off, and what is noticed.

use super::*;
use crate::testing::{Scratch, cut, files, flip, len};

fn blocks(log: &Log) -> Result<Vec<(u8, Vec<u8>)>, DiskError> {
    let (mut reader, mut payload, mut all) = (log.read()?, Vec::new(), Vec::new());
    while let Some(kind) = reader.next(&mut payload)? {
        all.push((kind, payload.clone()));
    }
    Ok(all)
}

/// A log of three blocks and two commits.
fn written(dir: &Path) -> Vec<(u8, Vec<u8>)> {
    let mut log = Log::open(dir, None).expect("begun");
    assert_eq!(log.note(), None);
    log.append(1, b"first").expect("room");
    log.append(2, b"").expect("room");
    log.commit(b"two").expect("committed");
    log.append(3, &[7; 3000]).expect("room");
    log.commit(b"three").expect("committed");
    vec![(1, b"first".to_vec()), (2, Vec::new()), (3, vec![7; 3000])]
}

#[test]
fn what_was_committed_is_read_again_and_nothing_else() {
    let scratch = Scratch::new("log");
    let all = written(scratch.path());
    let mut log = Log::open(scratch.path(), None).expect("there");
    assert_eq!((log.note(), blocks(&log).expect("whole")), (Some(&b"three"[..]), all.clone()));
    log.append(4, &vec![1; 2 * BUFFER]).expect("room");
    log.append(5, b"in the buffer").expect("room");
    assert!(len(log.path()) > log.committed());
    drop(log);
    let mut log = Log::open(scratch.path(), None).expect("there");
    assert_eq!((len(log.path()), blocks(&log).expect("whole")), (log.committed(), all.clone()));
    log.append(6, b"forgotten").expect("room");
    log.rewind().expect("rewound");
    log.append(6, b"kept").expect("room");
    log.commit(b"four").expect("committed");
    let more = [all, vec![(6, b"kept".to_vec())]].concat();
    assert_eq!(blocks(&log).expect("whole"), more);
    log.restart().expect("restarted");
    assert_eq!((log.note(), blocks(&log).expect("whole")), (None, Vec::new()));
    drop(log);
    assert_eq!(Log::open(scratch.path(), None).expect("there").note(), None);
}

/// Every bit of every file: an error, or the same content.
#[test]
fn a_flipped_bit_is_noticed_wherever_it_is() {
    let scratch = Scratch::new("flipped");
    let all = written(scratch.path());
    let mut seen = 0;
    for file in files(scratch.path()) {
        for at in (0..len(&file)).filter(|at| *at < 60 || at % 97 == 0) {
            for bit in [0, 4, 7] {
                flip(&file, at, bit);
                match Log::open(scratch.path(), None).and_then(|log| blocks(&log)) {
                    Ok(read) => assert_eq!(read, all, "{} {at}", file.display()),
                    Err(DiskError::Damaged { .. }) => seen += 1,
                    Err(other) => panic!("{other}"),
                }
                flip(&file, at, bit);
            }
        }
    }
    assert!(seen > 200, "{seen}");
    assert_eq!(blocks(&Log::open(scratch.path(), None).expect("there")).expect("whole"), all);
}

#[test]
fn a_file_that_is_cut_off_is_noticed_and_what_was_never_committed_is_not_missed() {
    for most in [0, 1, 8, 20, 100] {
        let scratch = Scratch::new("cut");
        written(scratch.path());
        cut(&scratch.path().join(LOG), most);
        let told = Log::open(scratch.path(), None).expect_err("too short").to_string();
        assert!(told.contains(&format!("damaged at byte {most}: the file ends here")), "{told}");
        let scratch = Scratch::new("cut");
        written(scratch.path());
        cut(&scratch.path().join(COMMITTED), most.min(20));
        assert!(matches!(Log::open(scratch.path(), None), Err(DiskError::Damaged { .. })));
    }
    let scratch = Scratch::new("uncommitted");
    let mut log = Log::open(scratch.path(), None).expect("begun");
    log.append(1, &vec![1; 2 * BUFFER]).expect("room");
    drop(log);
    let log = Log::open(scratch.path(), None).expect("begun");
    assert_eq!((log.note(), len(log.path())), (None, 0));
}

#[test]
fn a_log_that_is_full_says_so_and_keeps_what_was_committed() {
    let scratch = Scratch::new("full");
    let all = written(scratch.path());
    let mut log = Log::open(scratch.path(), Some(4000)).expect("there");
    let told = log.append(1, &[0; 1000]).expect_err("no room").to_string();
    assert!(told.ends_with("no room: it may have 4000 bytes"), "{told}");
    assert!(log.append(1, b"").is_err() && log.commit(b"worse").is_err(), "there would be a gap");
    assert_eq!((log.note(), blocks(&log).expect("whole")), (Some(&b"three"[..]), all.clone()));
    drop(log);
    let log = Log::open(scratch.path(), None).expect("there");
    assert_eq!((log.note(), blocks(&log).expect("whole")), (Some(&b"three"[..]), all));
}

/// A device that is always full stands for a disk that is.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_as_one() {
    let scratch = Scratch::new("device");
    fs::create_dir_all(scratch.path()).expect("made");
    let mut log = Log::open(scratch.path(), None).expect("begun");
    log.file = OpenOptions::new().write(true).open("/dev/full").expect("a device of the system");
    let told = log.append(1, &vec![0; BUFFER]).expect_err("no room");
    assert!(matches!(told, DiskError::Full { .. }), "{told}");
    assert!(log.commit(b"").is_err());
}
