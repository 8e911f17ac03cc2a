//! The page as one file that opens from disk: all scripts and styles in it, and the answers that a server would give, for
//! one run.

use crate::assets::ASSETS;
use serde_json::Value as Json;

/// A page that needs no server.
#[derive(Clone, PartialEq, Debug)]
pub struct StaticPage {
    /// What a server would answer.
    pub data: Json,
}

impl StaticPage {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let mut page = ASSETS[0].text.to_string();
        for asset in &ASSETS[1..] {
            let name = asset.name;
            let (tag, inline) = match asset.name.ends_with(".css") {
                true => (
                    format!("<link rel=\"stylesheet\" href=\"{name}\">"),
                    format!("<style>\n{}</style>", asset.text),
                ),
                false => (
                    format!("<script src=\"{name}\"></script>"),
                    format!("<script>\n{}</script>", asset.text),
                ),
            };
            page = page.replace(&tag, &inline);
        }
        // Nothing in the data can end the script that it stands in.
        let data = self.data.to_string().replace('<', "\\u003c");
        let data = format!("<script>window.WATCHKEEPER_STATIC = {data};</script>\n");
        match page.find("<script>") {
            Some(first) => page.insert_str(first, &data),
            None => page.push_str(&data),
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_from_disk_asks_for_nothing_and_its_data_is_only_data() {
        let page = StaticPage { data: json!({ "x": "</script><script>alert(1)</script>" }) }.html();
        assert!(
            !page.contains("src=\"") && !page.contains("href=\"style.css\""),
            "everything is in the file"
        );
        assert!(!page.contains("alert(1)</script>"));
        let data = page.find("WATCHKEEPER_STATIC =").expect("data");
        let first = page.find("<script>").expect("a script");
        assert_eq!(
            &page[first + "<script>window.".len()..][..20],
            &page[data..][..20],
            "the data comes first"
        );
        for asset in &ASSETS[1..] {
            assert!(page.contains(asset.text), "{} is in it", asset.name);
        }
    }

    #[test]
    fn the_page_is_small_and_loads_all_its_files() {
        let size: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert!(size <= 300_000, "{size} bytes");
        for asset in &ASSETS[1..] {
            assert!(ASSETS[0].text.contains(&format!("\"{}\"", asset.name)), "{} is loaded", asset.name);
        }
    }
}
