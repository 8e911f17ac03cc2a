//! The files of the page. They are part of the program, and nothing else is ever fetched.

/// A file of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asset {
    /// Its name, as the page asks for it.
    pub name: &'static str,
    /// Its type.
    pub kind: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// What the page may do: its own scripts and styles, and nothing from elsewhere.
pub const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                                  connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! file {
    ($name:literal, $kind:expr) => {
        Asset { name: $name, kind: $kind, text: include_str!(concat!("../assets/", $name)) }
    };
}

/// All files of the page, the page itself first; the scripts are in the order in which they are loaded.
pub const ASSETS: &[Asset] = &[
    file!("index.html", HTML),
    file!("style.css", STYLE),
    file!("address.js", SCRIPT),
    file!("api.js", SCRIPT),
    file!("app.js", SCRIPT),
    file!("controls.js", SCRIPT),
    file!("export.js", SCRIPT),
    file!("graph.js", SCRIPT),
    file!("live.js", SCRIPT),
    file!("maps.js", SCRIPT),
    file!("open.js", SCRIPT),
    file!("page.js", SCRIPT),
    file!("run.js", SCRIPT),
    file!("session.js", SCRIPT),
    file!("settings.js", SCRIPT),
    file!("state.js", SCRIPT),
    file!("verdict.js", SCRIPT),
];

/// The file of a path.
pub fn asset(path: &str) -> Option<&'static Asset> {
    let name = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    ASSETS.iter().find(|asset| asset.name == name)
}
