//! Which renamings two layers have in common.

use super::*;
use watchkeeper_core::Perm;

const ALL: [Symmetry; 7] = [
    Symmetry::None,
    Symmetry::Rotations,
    Symmetry::Full,
    Symmetry::Fixing(Pid::at(0)),
    Symmetry::Fixing(Pid::at(2)),
    Symmetry::FixingAll(ProcSet::EMPTY),
    Symmetry::FixingAll(ProcSet::from_bits(0b110)),
];

/// Against the definition, renaming by renaming.
#[test]
fn what_two_layers_have_in_common_is_what_both_allow() {
    for one in ALL {
        for other in ALL {
            for perm in Perm::all(4) {
                let both = one.allows(&perm, 4) && other.allows(&perm, 4);
                assert_eq!(common(one, other).allows(&perm, 4), both, "{one:?} and {other:?}, {perm:?}");
            }
        }
    }
}
