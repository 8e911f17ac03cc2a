//! The derives of the contract. They generate nothing that could not be written by hand in the same
//! number of lines as there are fields; they never look outside the type they are put on.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{
    Data, DeriveInput, Error, Fields, Generics, Index, LitStr, TypeParamBound, Variant, parse_macro_input,
    parse_quote,
};

#[cfg(test)]
mod tests;

/// Derives `watchkeeper_core::Pack`: fields in their order, an enum's variant as one byte before them.
#[proc_macro_derive(Pack)]
pub fn derive_pack(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    pack(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `watchkeeper_core::Kind`: one kind for each variant, named by `#[kind("...")]` or by itself.
#[proc_macro_derive(Kind, attributes(kind))]
pub fn derive_kind(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    kind(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `watchkeeper_core::Slot` for an enum without fields, named by `#[slot("...")]` or by itself.
#[proc_macro_derive(Slot, attributes(slot))]
pub fn derive_slot(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    slot(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn pack(input: &DeriveInput) -> Result<Tokens, Error> {
    let name = &input.ident;
    let generics = bounded(&input.generics, parse_quote!(::watchkeeper_core::Pack));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let (write, read, rename) = match &input.data {
        Data::Struct(data) => pack_struct(&data.fields),
        Data::Enum(data) => {
            if data.variants.is_empty() || data.variants.len() > 256 {
                return Err(Error::new_spanned(name, "Pack needs between 1 and 256 variants"));
            }
            pack_enum(data.variants.iter())
        }
        Data::Union(_) => return Err(Error::new_spanned(name, "Pack cannot be derived for a union")),
    };
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::watchkeeper_core::Pack for #name #type_generics #where_clause {
            fn pack(&self, out: &mut ::std::vec::Vec<u8>) { #write }

            fn unpack(
                bytes: &mut ::watchkeeper_core::Reader<'_>,
            ) -> ::std::result::Result<Self, ::watchkeeper_core::Malformed> { #read }

            fn rename(&self, perm: &::watchkeeper_core::Perm) -> Self { #rename }
        }
    })
}

fn pack_struct(fields: &Fields) -> (Tokens, Tokens, Tokens) {
    let members: Vec<Tokens> = members(fields);
    let types = fields.iter().map(|field| &field.ty);
    (
        quote! { let _ = &out; #(::watchkeeper_core::Pack::pack(&self.#members, out);)* },
        quote! {
            let _ = &bytes;
            ::std::result::Result::Ok(Self {
                #(#members: <#types as ::watchkeeper_core::Pack>::unpack(bytes)?),*
            })
        },
        quote! { let _ = &perm; Self { #(#members: ::watchkeeper_core::Pack::rename(&self.#members, perm)),* } },
    )
}

fn pack_enum<'a>(variants: impl Iterator<Item = &'a Variant>) -> (Tokens, Tokens, Tokens) {
    let (mut writes, mut reads, mut renames) = (Vec::new(), Vec::new(), Vec::new());
    for (tag, variant) in variants.enumerate() {
        let (tag, ident, members) = (tag as u8, &variant.ident, members(&variant.fields));
        let names: Vec<_> = (0..members.len()).map(|i| format_ident!("field{i}")).collect();
        let types = variant.fields.iter().map(|field| &field.ty);
        writes.push(quote! {
            Self::#ident { #(#members: #names),* } => {
                out.push(#tag);
                #(::watchkeeper_core::Pack::pack(#names, out);)*
            }
        });
        reads.push(quote! {
            #tag => Self::#ident { #(#members: <#types as ::watchkeeper_core::Pack>::unpack(bytes)?),* }
        });
        renames.push(quote! {
            Self::#ident { #(#members: #names),* } =>
                Self::#ident { #(#members: ::watchkeeper_core::Pack::rename(#names, perm)),* }
        });
    }
    (
        quote! { match self { #(#writes)* } },
        quote! {
            ::std::result::Result::Ok(match bytes.byte()? {
                #(#reads,)*
                _ => return ::std::result::Result::Err(::watchkeeper_core::Malformed("no such variant")),
            })
        },
        quote! { let _ = &perm; match self { #(#renames),* } },
    )
}

fn kind(input: &DeriveInput) -> Result<Tokens, Error> {
    let name = &input.ident;
    // A label shows what a value carries.
    let generics = bounded(&input.generics, parse_quote!(::std::fmt::Debug));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(name, "Kind is derived for enums: its kinds are the variants"));
    };
    let mut kinds = Vec::new();
    let (mut places, mut labels) = (Vec::new(), Vec::new());
    for (place, variant) in data.variants.iter().enumerate() {
        let (ident, shown) = (&variant.ident, shown(variant, "kind")?);
        let members = members(&variant.fields);
        let names: Vec<_> = (0..members.len()).map(|i| format_ident!("field{i}")).collect();
        let format = LitStr::new(&format!("{{}}{}", " {:?}".repeat(names.len())), ident.span());
        places.push(quote! { Self::#ident { .. } => #place });
        labels.push(
            quote! { Self::#ident { #(#members: #names),* } => ::std::format!(#format, #shown, #(#names),*) },
        );
        kinds.push(shown);
    }
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::watchkeeper_core::Kind for #name #type_generics #where_clause {
            const KINDS: &'static [&'static str] = &[#(#kinds),*];

            fn kind(&self) -> usize { match self { #(#places),* } }

            fn label(&self) -> ::std::string::String { match self { #(#labels),* } }
        }
    })
}

fn slot(input: &DeriveInput) -> Result<Tokens, Error> {
    let name = &input.ident;
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(name, "Slot is derived for enums: its slots are the variants"));
    };
    let (mut names, mut there, mut back) = (Vec::new(), Vec::new(), Vec::new());
    for (place, variant) in data.variants.iter().enumerate() {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a timer slot has no fields"));
        }
        let ident = &variant.ident;
        names.push(shown(variant, "slot")?);
        there.push(quote! { Self::#ident => #place });
        back.push(quote! { #place => ::std::option::Option::Some(Self::#ident) });
    }
    Ok(quote! {
        #[automatically_derived]
        impl ::watchkeeper_core::Slot for #name {
            const NAMES: &'static [&'static str] = &[#(#names),*];

            fn index(self) -> usize { match self { #(#there),* } }

            fn from_index(index: usize) -> ::std::option::Option<Self> {
                match index { #(#back,)* _ => ::std::option::Option::None }
            }
        }
    })
}

/// The generics with one more bound on every type parameter.
fn bounded(generics: &Generics, bound: TypeParamBound) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(bound.clone());
    }
    generics
}

/// The fields as they are named in a struct literal: names, or numbers for a tuple.
fn members(fields: &Fields) -> Vec<Tokens> {
    let member = |(i, field): (usize, &syn::Field)| match &field.ident {
        Some(ident) => quote! { #ident },
        None => {
            let index = Index::from(i);
            quote! { #index }
        }
    };
    fields.iter().enumerate().map(member).collect()
}

/// What a report calls this variant: the text of its attribute, or its name.
fn shown(variant: &Variant, attribute: &str) -> Result<LitStr, Error> {
    match variant.attrs.iter().find(|attr| attr.path().is_ident(attribute)) {
        Some(attr) => attr.parse_args(),
        None => Ok(LitStr::new(&variant.ident.unraw().to_string(), variant.ident.span())),
    }
}
