//! Variants and their fields: how they are named, and what the attributes on them say.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, Generics, Ident, Index, LitStr, Token,
    TypeParamBound, Variant,
};

/// The generics with one more bound on every type parameter.
pub(crate) fn bounded(generics: &Generics, bound: TypeParamBound) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(bound.clone());
    }
    generics
}

/// The fields as they are named in a struct literal: names, or numbers for a tuple.
pub(crate) fn members(fields: &Fields) -> Vec<Tokens> {
    let member = |(i, field): (usize, &Field)| match &field.ident {
        Some(ident) => quote! { #ident },
        None => {
            let index = Index::from(i);
            quote! { #index }
        }
    };
    fields.iter().enumerate().map(member).collect()
}

/// What the fields are called in generated code.
pub(crate) fn names(fields: &Fields) -> Vec<Ident> {
    (0..fields.len()).map(|i| format_ident!("field{i}")).collect()
}

/// The variants of an enum with what their attributes say.
pub(crate) fn described<'a>(
    input: &'a DeriveInput,
    attribute: &str,
    refusal: &str,
) -> Result<Vec<DescribedVariant<'a>>, Error> {
    let Data::Enum(data) = &input.data else { return Err(Error::new_spanned(&input.ident, refusal)) };
    data.variants.iter().map(|variant| DescribedVariant::new(variant, attribute)).collect()
}

/// A variant with what the attributes on it and on its fields say.
pub(crate) struct DescribedVariant<'a> {
    pub(crate) variant: &'a Variant,
    /// What a report calls it: the text of its attribute, or its name.
    pub(crate) shown: LitStr,
    pub(crate) label: Option<LitStr>,
    /// What labels of steps call it, where that is not how reports do.
    pub(crate) action: Option<LitStr>,
    /// The field that stands for the whole value.
    pub(crate) inner: Option<usize>,
    /// Whether each field is left out.
    pub(crate) skipped: Vec<bool>,
}

impl<'a> DescribedVariant<'a> {
    fn new(variant: &'a Variant, attribute: &str) -> Result<DescribedVariant<'a>, Error> {
        let (mut name, mut label, mut action, mut inner) = (None, None, None, None);
        let mut skipped = vec![false; variant.fields.len()];
        for word in words(&variant.attrs, attribute)? {
            let kind = attribute == "kind";
            match word {
                Word::Name(text) => once(&mut name, text, "this variant has a name already")?,
                Word::Label(text) if kind => once(&mut label, text, "this variant has a label already")?,
                Word::Action(text) if kind => once(&mut action, text, "this variant has an action already")?,
                Word::Label(text) | Word::Action(text) => {
                    return Err(Error::new_spanned(text, "a timer slot has a name and no label"));
                }
                Word::Flag(word) => {
                    let why = format!("`{word}` stands on a field, not on a variant");
                    return Err(Error::new_spanned(word, why));
                }
            }
        }
        for (place, field) in variant.fields.iter().enumerate() {
            for word in words(&field.attrs, attribute)? {
                let flag = match word {
                    Word::Flag(flag) => flag,
                    Word::Name(text) | Word::Label(text) | Word::Action(text) => {
                        return Err(Error::new_spanned(
                            text,
                            "names and labels stand on a variant, not on a field",
                        ));
                    }
                };
                if flag == "inner" {
                    if inner.replace(place).is_some() {
                        return Err(Error::new_spanned(flag, "one field can stand for the value, not two"));
                    }
                } else if attribute == "slot" {
                    let why = "a timer slot is told apart from others by all its fields: none can be skipped";
                    return Err(Error::new_spanned(flag, why));
                } else if label.is_some() {
                    let why = "this variant has a label: a field that it does not name is left out";
                    return Err(Error::new_spanned(flag, why));
                } else {
                    skipped[place] = true;
                }
            }
        }
        if let (Some(_), Some(name)) = (inner, name.as_ref().or(action.as_ref())) {
            return Err(Error::new_spanned(name, "the inner field gives this variant its names"));
        }
        let own = || LitStr::new(&variant.ident.unraw().to_string(), variant.ident.span());
        Ok(DescribedVariant { variant, shown: name.unwrap_or_else(own), label, action, inner, skipped })
    }
}

fn once(place: &mut Option<LitStr>, text: LitStr, refusal: &str) -> Result<(), Error> {
    if place.is_some() {
        return Err(Error::new_spanned(text, refusal));
    }
    *place = Some(text);
    Ok(())
}

/// The words of all attributes of one name.
fn words(attributes: &[Attribute], name: &str) -> Result<Vec<Word>, Error> {
    let ours = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    let read =
        |attribute: &Attribute| attribute.parse_args_with(Punctuated::<Word, Token![,]>::parse_terminated);
    Ok(ours.map(read).collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect())
}

/// One word of an attribute.
enum Word {
    /// `"NAME"`
    Name(LitStr),
    /// `label = "..."`
    Label(LitStr),
    /// `action = "..."`
    Action(LitStr),
    /// `skip` or `inner`
    Flag(Ident),
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> Result<Word, Error> {
        if input.peek(LitStr) {
            return input.parse().map(Word::Name);
        }
        let word: Ident = input.parse().map_err(|error| Error::new(error.span(), EXPECTED))?;
        match word.to_string().as_str() {
            "label" => {
                input.parse::<Token![=]>()?;
                input.parse().map(Word::Label)
            }
            "action" => {
                input.parse::<Token![=]>()?;
                input.parse().map(Word::Action)
            }
            "skip" | "inner" => Ok(Word::Flag(word)),
            _ => Err(Error::new_spanned(word, EXPECTED)),
        }
    }
}

const EXPECTED: &str = "expected a name in quotes, `label = \"...\"`, `action = \"...\"`, `skip` or `inner`";

/// The constant `KINDS` of a trait, and a private one of the type where that needs it: `lists` are the names of each
/// variant, one behind the other, and `joined` says whether some of them are those of another type.
pub(crate) fn kinds(
    lists: &[Tokens],
    joined: bool,
    input: &DeriveInput,
    generics: &Generics,
    private: &str,
) -> [Tokens; 2] {
    if !joined {
        return [quote! { const KINDS: &'static [&'static str] = &[#(#lists[0]),*]; }, Tokens::new()];
    }
    let (name, private) = (&input.ident, format_ident!("{private}"));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let most = quote! { [&'static str; ::watchkeeper_core::MOST_KINDS] };
    let constant = quote! {
        const KINDS: &'static [&'static str] = {
            let all: &'static #most = &Self::#private;
            all.split_at(0 #(+ #lists.len())*).0
        };
    };
    let whole = quote! {
        #[automatically_derived]
        impl #impl_generics #name #type_generics #where_clause {
            const #private: #most = ::watchkeeper_core::joined(&[#(&#lists),*]);
        }
    };
    [constant, whole]
}
