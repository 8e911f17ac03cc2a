//! The program whose files are attacked: two protocols of different kinds, since each takes long to compile.

use std::sync::LazyLock;
use watchkeeper::built_in::MembershipLive;
use watchkeeper_cli::Program;
use watchkeeper_protocols::ring::Ring;

/// A detector, and a protocol with many parameters that can be asked something while it runs.
pub(crate) static PROGRAM: LazyLock<Program> =
    LazyLock::new(|| Program::new().protocol::<Ring>().protocol::<MembershipLive>());
