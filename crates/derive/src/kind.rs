//! `Kind`: one kind for each variant, or those of the field that stands for it.

use super::label::formatted;
use super::variants::{DescribedVariant, bounded, described, kinds as all_kinds, members, names};
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DeriveInput, Error, Ident, LitStr, Type, WherePredicate, parse_quote};

pub(super) fn kind(input: &DeriveInput) -> Result<Tokens, Error> {
    let name = &input.ident;
    let variants = described(input, "kind", "Kind is derived for enums: its kinds are the variants")?;
    let (mut kinds, mut places, mut labels, mut inner_types) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut before, mut shown_data) = (quote! { 0 }, Vec::new());
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
        shown_data.push(data(variant, &members, &names));
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
    let (sorts, terms): (Vec<Tokens>, Vec<Tokens>) = shown_data.into_iter().unzip();
    let [kinds, whole] = all_kinds(&kinds, joined, input, &generics, "__KINDS");
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::watchkeeper_core::Kind for #name #type_generics #where_clause {
            #kinds

            fn kind(&self) -> usize { match self { #(#places),* } }

            fn label(&self) -> ::std::string::String { match self { #(#labels),* } }

            fn data() -> ::std::vec::Vec<::watchkeeper_core::KindData> {
                #[allow(unused_imports)]
                use ::watchkeeper_core::shown::{NoSort as _, ShownSort as _};
                let mut all = ::std::vec::Vec::new();
                #(all.extend(#sorts);)*
                all
            }

            fn terms(&self) -> ::std::vec::Vec<::std::string::String> {
                #[allow(unused_imports)]
                use ::watchkeeper_core::shown::{NoTerm as _, ShownTerm as _};
                match self { #(#terms),* }
            }
        }

        #whole
    })
}

/// What labels of steps show of a variant: the expression of its kinds, and the arm of a match that has its terms.
fn data(variant: &DescribedVariant<'_>, members: &[Tokens], names: &[Ident]) -> (Tokens, Tokens) {
    let (ident, fields) = (&variant.variant.ident, &variant.variant.fields);
    let own: Vec<usize> =
        (0..names.len()).filter(|&i| !variant.skipped[i] && variant.inner != Some(i)).collect();
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let count = own.len();
    let sorts = own.iter().map(|&i| {
        let ty = types[i];
        quote! { (&::watchkeeper_core::shown::OfType::<#ty>(::std::marker::PhantomData)).sort() }
    });
    let sorts = quote! {
        {
            let sorts: [::std::option::Option<::watchkeeper_core::DatumSort>; #count] = [#(#sorts),*];
            sorts.into_iter().flatten().collect::<::std::vec::Vec<::watchkeeper_core::DatumSort>>()
        }
    };
    let terms = own.iter().map(|&i| {
        let name = &names[i];
        quote! { (&::watchkeeper_core::shown::OfField(#name)).term() }
    });
    let (kinds, first) = match variant.inner {
        None => {
            let name = variant.action.as_ref().unwrap_or(&variant.shown);
            let kinds = quote! { [::watchkeeper_core::KindData::new(#name, #sorts)] };
            (kinds, quote! { ::std::vec::Vec::<::std::string::String>::new() })
        }
        Some(inner) => {
            let (ty, name) = (types[inner], &names[inner]);
            let kinds = quote! {
                <#ty as ::watchkeeper_core::Kind>::data().into_iter().map(|mut kind| {
                    kind.sorts.extend(#sorts);
                    kind
                })
            };
            (kinds, quote! { ::watchkeeper_core::Kind::terms(#name) })
        }
    };
    let arm = quote! {
        Self::#ident { #(#members: #names),* } => {
            #(let _ = #names;)*
            let first = #first;
            let own: [::std::option::Option<::std::string::String>; #count] = [#(#terms),*];
            first.into_iter().chain(own.into_iter().flatten()).collect()
        }
    };
    (kinds, arm)
}
