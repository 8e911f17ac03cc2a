//! A list of all states and steps is the one that a plain traversal makes, with keys of every width and any number of threads.

mod toy;

use toy::Toy;
use watchkeeper_explore::{Hooks, KeyWidth, NoCallback, Search, Traversal, TraversalEnd, list};
use watchkeeper_logic::Limit;
use watchkeeper_space::{Action, Id, Space};

type Row = (Vec<Id>, Vec<(Action, u32)>);

fn plain(space: &dyn Space) -> Vec<Row> {
    let mut traversal = Traversal::new(space);
    let mut steps: Vec<Vec<(Action, u32)>> = Vec::new();
    let mut visit = |_: u32, _: bool, taken: &[(Action, u32)]| steps.push(taken.to_vec());
    let end = traversal.run((space.initial(), usize::MAX), &|_| false, &mut visit, &NoCallback);
    assert_eq!(end, TraversalEnd::All);
    traversal.rows().iter().map(|row| row.to_vec()).zip(steps).collect()
}

#[test]
fn the_list_is_that_of_a_plain_traversal() {
    let toys = [
        Toy::new(4, 6, 3, 1),
        Toy { starts: 5, ..Toy::new(5, 4, 4, 2) },
        Toy::new(3, 9, 2, 3).with_ballast(9),
    ];
    for toy in toys {
        let expected = plain(&toy);
        assert!(expected.len() > 50, "{} states", expected.len());
        for keys in [KeyWidth::Narrowest, KeyWidth::TwoWords, KeyWidth::Collapsed] {
            for (workers, threads, narrow) in [(1, false, false), (3, true, true)] {
                let hooks = Hooks { keys, threads, narrow, small_tables: narrow };
                let search = Search { workers, hooks, ..Search::default() };
                let mut told: Vec<Row> = Vec::new();
                let mut tell =
                    |row: &[Id], steps: &[(Action, u32)]| told.push((row.to_vec(), steps.to_vec()));
                let states = list(&toy, &search, &NoCallback, &mut tell).expect("a list").expect("no limit");
                assert_eq!(told, expected, "{keys:?}, {workers} workers");
                assert_eq!(states.states() as usize, expected.len());
                assert_eq!(states.initial() as usize, toy.initial().len());
                let rows = (0..states.states()).map(|state| states.row(state));
                assert!(rows.eq(expected.iter().map(|(row, _)| row.clone())), "{keys:?}");
                assert_eq!(states.cut, None);
            }
        }
    }
}

#[test]
fn a_limit_is_told_and_not_a_part_of_the_list() {
    let toy = Toy::new(5, 9, 4, 1);
    for (search, limit) in [
        (Search { max_states: Some(100), ..Search::default() }, Limit::States(100)),
        (Search { max_bytes: Some(5000), ..Search::default() }, Limit::Memory(5000)),
    ] {
        let found = list(&toy, &search, &NoCallback, &mut |_, _| {}).expect("searched");
        assert_eq!(found.map(|states| states.states()), Err(limit));
    }
}
