//! Each model for each form of places. loom tries all interleavings, so a run says the same every time.

use watchkeeper_races::models::{self, ALL, Places};

#[test]
fn two_threads_add_one_key_once() {
    ALL.into_iter().for_each(|places| models::equal_keys(places, 2));
}

/// Not for places of two words: a thread that waits for the second word may be scheduled again and again while its writer is not.
/// With two threads loom sees that this is unfair, with three it tries it and gives up.
#[test]
fn three_threads_add_one_key_once() {
    for places in [Places::Half, Places::Word] {
        models::equal_keys(places, 3);
        models::two_of_three(places);
    }
}

#[test]
fn keys_of_one_home_are_all_kept() {
    ALL.into_iter().for_each(models::one_home);
}

#[test]
fn keys_in_opposite_orders_are_added_once_each() {
    ALL.into_iter().for_each(models::opposite_orders);
}

/// Half-word places look 512 places far, round and round in so small a table: too many steps for all interleavings.
#[test]
fn whoever_finds_no_room_is_told_so() {
    [Places::Word, Places::Pair].into_iter().for_each(models::no_room);
}

#[test]
fn a_reader_finds_what_was_there_and_nothing_half_written() {
    ALL.into_iter().for_each(models::a_reader);
}

#[test]
fn a_second_word_that_is_not_written_yet_is_none() {
    models::a_reader_of_second_words();
}
