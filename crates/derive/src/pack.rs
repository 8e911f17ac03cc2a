//! `Pack`: fields in their order, an enum's variant as one byte before them.

use super::variants::{bounded, members, names};
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Variant, parse_quote};

pub(super) fn pack(input: &DeriveInput) -> Result<Tokens, Error> {
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
        let names = names(&variant.fields);
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
