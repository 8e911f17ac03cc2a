//! Labels that a protocol writes itself: format strings that name the fields of a variant.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Error, Fields, Ident, LitStr};

/// The call of `format!` for a label: `names` are the variables that hold the fields, `shown` what is written of each.
pub(crate) fn formatted(
    label: &LitStr,
    fields: &Fields,
    names: &[Ident],
    shown: &[Tokens],
) -> Result<Tokens, Error> {
    let text = label.value();
    let refused = |why: String| Error::new_spanned(label, why);
    let (mut format, mut used) = (String::new(), vec![false; names.len()]);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        let brace = &rest[at..=at];
        format.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            format.push_str(&brace.repeat(2));
            rest = after;
            continue;
        }
        let Some((named, after)) = rest.split_once('}').filter(|_| brace == "{") else {
            return Err(refused(format!("a `{brace}` is alone: `{brace}{brace}` writes one")));
        };
        let (field, how) = named.split_once(':').unwrap_or((named, ""));
        if how.contains(['$', '*']) {
            return Err(refused(format!("`{how}`: a width or a precision must be a number")));
        }
        let place = place(field, fields).map_err(refused)?;
        used[place] = true;
        let colon = if how.is_empty() { "" } else { ":" };
        format.push_str(&format!("{{{}{colon}{how}}}", names[place]));
        rest = after;
    }
    format.push_str(rest);
    let format = LitStr::new(&format, label.span());
    let given = names.iter().zip(shown).zip(used).filter(|(_, used)| *used);
    let given = given.map(|((name, shown), _)| quote! { #name = #shown });
    Ok(quote! { ::std::format!(#format, #(#given),*) })
}

/// The place of the field with this name or number.
fn place(named: &str, fields: &Fields) -> Result<usize, String> {
    let known: Vec<String> = (fields.iter().enumerate())
        .map(|(i, field)| field.ident.as_ref().map_or(i.to_string(), |ident| ident.unraw().to_string()))
        .collect();
    known.iter().position(|name| name == named).ok_or_else(|| match known.as_slice() {
        [] => "this variant has no fields to name".to_string(),
        _ if named.is_empty() => format!("a label names its fields: {{{}}}", known.join("}, {")),
        _ => format!("there is no field `{named}`; there is {}", known.join(", ")),
    })
}
