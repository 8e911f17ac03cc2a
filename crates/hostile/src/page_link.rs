//! Links of a page: a scenario and a run in an address. They come by mail and from bug reports.

use crate::program::PROGRAM;
use crate::quoting::{printable, short, text};
use watchkeeper_cli::hostile::{link, link_command};
use watchkeeper_web::LinkKey;

/// The names of the protocols of the program.
const PROTOCOLS: [&str; 2] = ["ring", "membership-live"];

/// What a link says is what the address that is made of it says, and the words of a command that it becomes are a protocol
/// and settings, never a file or a flag that nobody sees.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let Some(said) = link(text) else { return };
    assert!(said.fragment.len() <= 100 + 6 * text.len(), "{} bytes of {}", said.fragment.len(), text.len());
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"#\"<>'`".contains(&byte);
    assert!(said.fragment.bytes().all(plain), "no part of an address: {:?}", said.fragment);
    for address in [format!("#{}", said.fragment), format!("http://127.0.0.1:1/#token=0&{}", said.fragment)] {
        assert_eq!(link(&address).as_ref(), Some(&said), "of {text:?}");
    }
    said.page.iter().filter(|(name, _)| name == "run").flat_map(|(_, run)| run.split('.')).for_each(key);
    match link_command(&PROGRAM, text).expect("it is a link") {
        Ok(command) => {
            assert!(PROTOCOLS.contains(&said.protocol.as_str()), "{:?} became {command}", said.protocol);
        }
        Err(why) => {
            assert!(!why.is_empty(), "refused without a word");
            short(&why);
            printable(&why);
        }
    }
}

/// A key is eight digits, and is written as it was read.
fn key(text: &str) {
    match text.parse::<LinkKey>() {
        Ok(key) => assert_eq!((key.to_string().as_str(), text.len()), (text, 8)),
        Err(why) => {
            short(&why);
            printable(&why);
        }
    }
}
