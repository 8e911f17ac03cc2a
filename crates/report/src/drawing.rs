//! What all drawings share: the shapes they are made of, and one look for light and dark pages. It knows
//! nothing of what is drawn.

mod pen;
mod sheet;

pub(crate) use pen::{Escaped, Pen, pixels};
pub(crate) use sheet::{KINDS, style};

/// A standalone SVG document of this size around a drawing; the title and the description are for readers
/// who hear it. `extra` are rules of the drawing's own, behind those that all drawings share.
pub(crate) fn document(
    (width, height): (usize, usize),
    (title, description): (&str, &str),
    extra: &str,
    drawing: Pen,
) -> String {
    let mut page = Pen::default();
    page.raw(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title desc\">"
    ));
    page.raw(&format!("<title id=\"title\">{}</title>", Escaped(title)));
    page.raw(&format!("<desc id=\"desc\">{}</desc>", Escaped(description)));
    page.raw(&style(extra));
    page.rect("paper", (0, 0), (width, height), 0);
    page.raw(drawing.finish().trim_end());
    page.raw("</svg>");
    page.finish()
}
