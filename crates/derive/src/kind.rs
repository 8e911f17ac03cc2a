//! `Kind`: one kind for each variant, or those of the field that stands for it.

use super::label::formatted;
use super::variants::{bounded, described, kinds as all_kinds, members, names};
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DeriveInput, Error, LitStr, WherePredicate, parse_quote};

pub(super) fn kind(input: &DeriveInput) -> Result<Tokens, Error> {
    let name = &input.ident;
    let variants = described(input, "kind", "Kind is derived for enums: its kinds are the variants")?;
    let (mut kinds, mut places, mut labels, mut inner_types) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut before = quote! { 0 };
    for variant in &variants {
        let (ident, shown, fields) = (&variant.variant.ident, &variant.shown, &variant.variant.fields);
        let (members, names) = (members(fields), names(fields));
        let values: Vec<Tokens> = (names.iter().enumerate())
            .map(|(i, name)| match variant.inner {
                Some(inner) if inner == i => quote! { ::watchkeeper_core::Kind::label(#name) },
                _ => quote! { #name },
            })
            .collect();
        let written = match &variant.label {
            Some(label) => formatted(label, fields, &names, &values)?,
            None => {
                let first = variant.inner.map_or(quote! { #shown }, |inner| values[inner].clone());
                let rest = (0..names.len()).filter(|&i| !variant.skipped[i] && variant.inner != Some(i));
                let rest: Vec<&Tokens> = rest.map(|i| &values[i]).collect();
                let format = LitStr::new(&format!("{{}}{}", " {}".repeat(rest.len())), ident.span());
                quote! { ::std::format!(#format, #first, #(::watchkeeper_core::field_label(#rest)),*) }
            }
        };
        labels.push(quote! { Self::#ident { #(#members: #names),* } => { #(let _ = #names;)* #written } });
        match variant.inner {
            None => {
                kinds.push(quote! { [#shown] });
                places.push(quote! { Self::#ident { .. } => #before });
                before = quote! { #before + 1 };
            }
            Some(inner) => {
                let ty = &fields.iter().nth(inner).expect("a field").ty;
                let (member, of) = (&members[inner], quote! { <#ty as ::watchkeeper_core::Kind> });
                kinds.push(quote! { #of::KINDS });
                places.push(quote! { Self::#ident { #member: inner, .. } => #before + #of::kind(inner) });
                before = quote! { #before + #of::KINDS.len() };
                inner_types.push(ty);
            }
        }
    }
    // A label shows what a value carries.
    let mut generics = bounded(&input.generics, parse_quote!(::std::fmt::Debug));
    let inner =
        inner_types.iter().map(|ty| -> WherePredicate { parse_quote!(#ty: ::watchkeeper_core::Kind) });
    generics.make_where_clause().predicates.extend(inner);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let joined = variants.iter().any(|variant| variant.inner.is_some());
    let [kinds, whole] = all_kinds(&kinds, joined, input, &generics, "__KINDS");
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::watchkeeper_core::Kind for #name #type_generics #where_clause {
            #kinds

            fn kind(&self) -> usize { match self { #(#places),* } }

            fn label(&self) -> ::std::string::String { match self { #(#labels),* } }
        }

        #whole
    })
}
