//! The derives of the contract. They generate nothing that could not be written by hand in the same
//! number of lines as there are fields; they never look outside the type they are put on. One more belongs to the library
//! alone: the table of its settings.

mod kind;
mod label;
mod pack;
mod settings;
mod slot;
#[cfg(test)]
mod tests;
mod variants;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use syn::{DeriveInput, Error, parse_macro_input};

/// Derives `watchkeeper_core::Pack`: fields in their order, an enum's variant as one byte before them.
///
/// ```
/// use watchkeeper_core::{Pack, Pid, packed, unpacked};
///
/// #[derive(Clone, PartialEq, Eq, Debug, Pack)]
/// enum Msg {
///     Ping,
///     Leave { who: Pid, after: u32 },
/// }
///
/// let leave = Msg::Leave { who: Pid::at(2), after: 7 };
/// assert_eq!(packed(&leave), [1, 2, 7]);
/// assert_eq!(unpacked(&[1, 2, 7]), Ok(leave));
/// ```
#[proc_macro_derive(Pack)]
pub fn derive_pack(input: TokenStream) -> TokenStream {
    derived(pack::pack, input)
}

/// Derives `watchkeeper_core::Kind` for an enum: each variant is a kind, and a label is its name and what it carries.
///
/// - `#[kind("NAME")]` on a variant names the kind; without it the variant's own name does.
/// - `#[kind(label = "...")]` on a variant says how its values are written: a format string that names the fields, as
///   `{0}` or as `{who}`. Both can stand in one attribute.
/// - `#[kind(action = "...")]` on a variant says what labels of steps call the kind, if that is not its name as an
///   identifier.
/// - `#[kind(skip)]` on a field leaves it out of the label.
/// - `#[kind(inner)]` on a field makes the value one of the kinds of that field, which is written by its own label: for
///   what is put around the messages of another protocol.
///
/// ```
/// use watchkeeper_core::{Kind, Pid};
///
/// #[derive(Debug, Kind)]
/// enum Msg {
///     #[kind("PING")]
///     Ping,
///     #[kind("ack", label = "ack #{number} of {whom}")]
///     Ack { number: u32, whom: Pid },
///     State(u8, #[kind(skip)] Vec<u8>),
/// }
///
/// #[derive(Kind)]
/// enum Sealed<M> {
///     #[kind(label = "{msg} #{number}")]
///     Data { number: u32, #[kind(inner)] msg: M },
///     #[kind("received")]
///     Received,
/// }
///
/// assert_eq!(Msg::KINDS, ["PING", "ack", "State"]);
/// assert_eq!(Msg::Ping.label(), "PING");
/// assert_eq!(Msg::Ack { number: 3, whom: Pid::at(1) }.label(), "ack #3 of p1");
/// assert_eq!(Msg::State(7, vec![0; 1000]).label(), "State 7");
///
/// assert_eq!(Sealed::<Msg>::KINDS, ["PING", "ack", "State", "received"]);
/// assert_eq!(Sealed::Data { number: 9, msg: Msg::Ping }.label(), "PING #9");
/// ```
///
/// A label that names a field which there is not is refused:
///
/// ```compile_fail
/// #[derive(watchkeeper_core::Kind)]
/// enum Msg {
///     #[kind(label = "ack #{nmber}")]
///     Ack { number: u32 },
/// }
/// ```
#[proc_macro_derive(Kind, attributes(kind))]
pub fn derive_kind(input: TokenStream) -> TokenStream {
    derived(kind::kind, input)
}

/// Derives `watchkeeper_core::Slot` for an enum: one slot for each variant, or for a variant with fields, as many as
/// there are values of its fields, which are slots themselves.
///
/// - `#[slot("name")]` on a variant names it; without it the variant's own name does.
/// - `#[slot(inner)]` on a field makes the slots those of the field, with their names: for what is put around the
///   timers of another protocol.
///
/// ```
/// use watchkeeper_core::{MAX_PROCESSES, Perm, Pid, Slot};
///
/// #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
/// enum Timer {
///     #[slot("beat")]
///     Beat,
///     Suspect(Pid),
/// }
///
/// #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
/// enum Resending<T> {
///     Own(#[slot(inner)] T),
///     Resend,
/// }
///
/// assert_eq!(Timer::COUNT, 1 + MAX_PROCESSES);
/// assert_eq!(Timer::KINDS, ["beat", "Suspect"]);
/// assert_eq!(Timer::Suspect(Pid::at(3)).name(), "Suspect p3");
/// assert_eq!(Timer::from_index(4), Some(Timer::Suspect(Pid::at(3))));
/// let turned = Timer::Suspect(Pid::at(3)).rename(&Perm::rotation(4, 1));
/// assert_eq!(turned, Timer::Suspect(Pid::at(0)));
///
/// assert_eq!(Resending::<Timer>::KINDS, ["beat", "Suspect", "Resend"]);
/// assert_eq!(Resending::Own(Timer::Suspect(Pid::at(3))).name(), "Suspect p3");
/// ```
#[proc_macro_derive(Slot, attributes(slot))]
pub fn derive_slot(input: TokenStream) -> TokenStream {
    derived(slot::slot, input)
}

/// Derives the table of settings of `watchkeeper::Settings`, and one method of a builder for each of them. The field is
/// the only definition of a setting; from it come the flag of the command line, the key of a scenario file, the
/// environment variable, the help and the method.
///
/// - The name of the field, with dashes, is the flag and the key.
/// - The first paragraph of the doc comment is the short help, the rest belongs to the long help.
/// - `#[settings(builder = TYPE)]` on the struct names the builder, which has a field `settings`.
/// - `#[setting(heading = Time, value = "T")]` on a field makes it a setting: the heading of its help, and the name of
///   its value. `env = "VARIABLE"` names its environment variable. `through = TYPE` reads and writes the value as
///   another type does. `only = FUNCTION` says which protocols have it.
/// - `from = TYPE`, `push = TYPE` and `collect = TYPE` say what the method takes, if not the value itself: what becomes
///   the value, one more item of a list, or all items of a set.
#[proc_macro_derive(SettingsTable, attributes(setting, settings))]
pub fn derive_settings_table(input: TokenStream) -> TokenStream {
    derived(settings::settings_table, input)
}

fn derived(derive: fn(&DeriveInput) -> Result<Tokens, Error>, input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive(&input).unwrap_or_else(Error::into_compile_error).into()
}
