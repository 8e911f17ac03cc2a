//! The page of `explore` and of `cluster --web`: a server on loopback, what it serves, and the searches that a page asks
//! for, which are runs of this same program. What a request means is in `watchkeeper-web`; here are the sockets, the
//! files and the protocols.

mod alternatives;
pub(crate) mod child;
mod export;
mod imported;
mod live;
mod recorded;
mod repeats;
mod scenario;
mod searches;
mod server;
mod site;
mod told;

pub(crate) use export::{StaticExport, export};
pub(crate) use imported::{import_files, upload};
pub(crate) use live::{LivePage, serve_live};
pub(crate) use scenario::{PageScenario, fragment, of_link};
pub(crate) use server::PageServer;
pub(crate) use site::{ExplorerSite, PageStart, opened};
