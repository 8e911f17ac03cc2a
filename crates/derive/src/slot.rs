//! `Slot`: one slot for each value. The slots of a variant follow those of the variants before it; among them, the
//! last field counts fastest.

use super::variants::{bounded, described, kinds as all_kinds, members, names};
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DeriveInput, Error, LitStr, parse_quote};

pub(super) fn slot(input: &DeriveInput) -> Result<Tokens, Error> {
    let name = &input.ident;
    let variants = described(input, "slot", "Slot is derived for enums: its slots are the variants")?;
    let (mut kinds, mut counts) = (Vec::new(), Vec::new());
    let [mut indices, mut back, mut places, mut shown_as, mut renamed] = [const { Vec::new() }; 5];
    for variant in &variants {
        let (ident, shown, fields) = (&variant.variant.ident, &variant.shown, &variant.variant.fields);
        let (members, names) = (members(fields), names(fields));
        let of: Vec<Tokens> = (fields.iter().map(|field| &field.ty))
            .map(|ty| quote! { <#ty as ::watchkeeper_core::Slot> })
            .collect();
        let count = quote! { (1 #(* #of::COUNT)*) };
        let (of_back, names_back) = (of.iter().rev(), names.iter().rev());
        indices.push(quote! {
            Self::#ident { #(#members: #names),* } => {
                let within = 0;
                #(let within = within * #of::COUNT + #of::index(#names);)*
                0 #(+ #counts)* + within
            }
        });
        back.push(quote! {
            if index < #count {
                let within = index;
                #(
                    let #names_back = #of_back::from_index(within.checked_rem(#of_back::COUNT)?)?;
                    let within = within / #of_back::COUNT;
                )*
                let _ = within;
                return ::std::option::Option::Some(Self::#ident { #(#members: #names),* });
            }
            let index = index - #count;
        });
        let first = variant.inner.map_or(quote! { #shown }, |inner| {
            let (of, name) = (&of[inner], &names[inner]);
            quote! { #of::name(#name) }
        });
        let rest = (names.iter().zip(&of).enumerate()).filter(|(i, _)| variant.inner != Some(*i));
        let rest: Vec<Tokens> = rest.map(|(_, (name, of))| quote! { #of::name(#name) }).collect();
        let format = LitStr::new(&format!("{{}}{}", " {}".repeat(rest.len())), ident.span());
        shown_as.push(quote! {
            Self::#ident { #(#members: #names),* } => ::std::format!(#format, #first, #(#rest),*)
        });
        renamed.push(quote! {
            Self::#ident { #(#members: #names),* } =>
                Self::#ident { #(#members: #of::rename(#names, perm)),* }
        });
        match variant.inner {
            None => {
                places.push(quote! { Self::#ident { .. } => 0 #(+ #kinds.len())* });
                kinds.push(quote! { [#shown] });
            }
            Some(inner) => {
                let (of, member) = (&of[inner], &members[inner]);
                places.push(
                    quote! { Self::#ident { #member: inner, .. } => 0 #(+ #kinds.len())* + #of::kind(inner) },
                );
                kinds.push(quote! { #of::KINDS });
            }
        }
        counts.push(count);
    }
    let generics = bounded(&input.generics, parse_quote!(::watchkeeper_core::Slot));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let joined = variants.iter().any(|variant| variant.inner.is_some());
    let [kinds, whole] = all_kinds(&kinds, joined, input, &generics, "__SLOT_KINDS");
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::watchkeeper_core::Slot for #name #type_generics #where_clause {
            const COUNT: usize = 0 #(+ #counts)*;
            #kinds

            fn index(self) -> usize { match self { #(#indices)* } }

            fn from_index(index: usize) -> ::std::option::Option<Self> {
                #(#back)*
                let _ = index;
                ::std::option::Option::None
            }

            fn kind(self) -> usize { match self { #(#places),* } }

            fn name(self) -> ::std::string::String { match self { #(#shown_as),* } }

            fn rename(self, perm: &::watchkeeper_core::Perm) -> Self {
                let _ = perm;
                match self { #(#renamed),* }
            }
        }

        #whole
    })
}
