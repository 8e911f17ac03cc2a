//! New keys while the node runs: the file is read again, and if all of it is right, its keys take the place of the
//! old ones. Nothing else of the file is taken up, and a file with mistakes changes nothing.

use super::Setup;
use crate::node_file::NodeKey;
use tracing::{error, info, warn};
use watchkeeper_core::Protocol;
use watchkeeper_runtime::Handle;

/// Reads the keys again and uses them; `known` are the keys so far.
pub(super) async fn rotate<P: Protocol>(handle: &Handle<P>, setup: &Setup<'_>, known: &mut Vec<NodeKey>) {
    let file = match (setup.again)() {
        Ok(file) => file,
        Err(problems) => {
            for problem in &problems {
                let text = problem.to_string();
                let first = text.lines().next().unwrap_or_default();
                error!(event = "keys-kept", "the old keys stay: {first}");
            }
            return;
        }
    };
    let current = file.keys.ring.current();
    let ids = file.keys.ids().iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    if handle.rotate(file.keys.ring.clone()).await.is_err() {
        return;
    }
    let changed = changes(known, &file.keys.list);
    info!(event = "keys-reloaded", key = current.0, keys = ids, "{changed}; {current} seals from now on");
    for warning in &file.warnings {
        warn!(event = "warning", "{warning}");
    }
    if file.beyond_keys != setup.file.beyond_keys {
        warn!(
            event = "restart-needed",
            "the file says something else than when this node started; all but its keys counts from the next start on"
        );
    }
    *known = file.keys.list;
}

/// What is different, in words.
fn changes(before: &[NodeKey], after: &[NodeKey]) -> String {
    let has = |list: &[NodeKey], key: &NodeKey| list.iter().any(|other| other.id == key.id);
    let other =
        |key: &&NodeKey| before.iter().any(|old| old.id == key.id && old.key.to_hex() != key.key.to_hex());
    let ids = |keys: Vec<&NodeKey>| keys.iter().map(|key| key.id.to_string()).collect::<Vec<_>>().join(", ");
    let added = ids(after.iter().filter(|key| !has(before, key)).collect());
    let removed = ids(before.iter().filter(|key| !has(after, key)).collect());
    let changed = ids(after.iter().filter(other).collect());
    let parts = [("added", added), ("removed", removed), ("changed", changed)];
    let parts = parts.into_iter().filter(|(_, ids)| !ids.is_empty());
    let parts: Vec<String> = parts.map(|(what, ids)| format!("{what} {ids}")).collect();
    if parts.is_empty() { "the keys are the same".to_string() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_runtime::wire::KeyId;

    fn key(id: u8, digit: &str) -> NodeKey {
        NodeKey { id: KeyId(id), key: digit.repeat(64).parse().expect("a key"), file: None }
    }

    #[test]
    fn changes_are_named() {
        let before = [key(1, "a"), key(2, "b")];
        assert_eq!(changes(&before, &before), "the keys are the same");
        assert_eq!(
            changes(&before, &[key(2, "c"), key(3, "d")]),
            "added key 3, removed key 1, changed key 2"
        );
    }
}
