//! What the derives refuse, and with which words. What they generate is tested where the contract is.

use super::kind::kind;
use super::pack::pack;
use super::slot::slot;
use proc_macro2::TokenStream as Tokens;
use syn::{DeriveInput, Error, parse_quote};

fn refusal(derive: fn(&DeriveInput) -> Result<Tokens, Error>, input: DeriveInput) -> String {
    derive(&input).expect_err("this input is refused").to_string()
}

/// An enum of this many variants.
fn enum_of(variants: usize) -> DeriveInput {
    let variants = (0..variants).map(|i| quote::format_ident!("V{i}"));
    parse_quote! { enum Many { #(#variants),* } }
}

#[test]
fn pack_refuses_what_has_no_bytes_or_too_many_variants() {
    let limits = "Pack needs between 1 and 256 variants";
    assert_eq!(refusal(pack, parse_quote! { enum Nothing {} }), limits);
    assert_eq!(refusal(pack, enum_of(257)), limits);
    assert!(pack(&enum_of(256)).is_ok());
    let union = parse_quote! { union Either { a: u8, b: u16 } };
    assert_eq!(refusal(pack, union), "Pack cannot be derived for a union");
}

#[test]
fn kind_and_slot_are_for_enums() {
    let single: DeriveInput = parse_quote! { struct Single { a: u8 } };
    assert_eq!(refusal(kind, single.clone()), "Kind is derived for enums: its kinds are the variants");
    assert_eq!(refusal(slot, single), "Slot is derived for enums: its slots are the variants");
}

/// How the attribute of a variant `Ping(u8, u8)` is refused.
fn refused_kind(variant: syn::Variant) -> String {
    refusal(kind, parse_quote! { enum Msg { #variant } })
}

fn refused_slot(variant: syn::Variant) -> String {
    refusal(slot, parse_quote! { enum Timer { #variant } })
}

#[test]
fn an_attribute_says_something_that_is_known() {
    let expected = "expected a name in quotes, `label = \"...\"`, `action = \"...\"`, `skip` or `inner`";
    assert_eq!(refused_kind(parse_quote! { #[kind(3)] Ping }), expected);
    assert_eq!(refused_kind(parse_quote! { #[kind(name = "x")] Ping }), expected);
    assert_eq!(refused_slot(parse_quote! { #[slot(3)] Round }), expected);
    assert!(refused_slot(parse_quote! { #[slot] Round }).contains("expected"));
    assert!(refused_kind(parse_quote! { #[kind(label)] Ping }).contains("expected `=`"));
}

#[test]
fn an_attribute_says_it_once_and_where_it_belongs() {
    let twice = refused_kind(parse_quote! { #[kind("a", "b")] Ping });
    assert_eq!(twice, "this variant has a name already");
    let twice = refused_kind(parse_quote! { #[kind(label = "a")] #[kind(label = "b")] Ping });
    assert_eq!(twice, "this variant has a label already");
    let inner = refused_kind(parse_quote! { Ping(#[kind(inner)] A, #[kind(inner)] A) });
    assert_eq!(inner, "one field can stand for the value, not two");
    let named = refused_slot(parse_quote! { #[slot("own")] Own(#[slot(inner)] A) });
    assert_eq!(named, "the inner field gives this variant its names");
    let on_variant = refused_kind(parse_quote! { #[kind(skip)] Ping(u8) });
    assert_eq!(on_variant, "`skip` stands on a field, not on a variant");
    let on_field = refused_kind(parse_quote! { Ping(#[kind("x")] u8) });
    assert_eq!(on_field, "names and labels stand on a variant, not on a field");
    let labelled = refused_slot(parse_quote! { #[slot(label = "x")] Round });
    assert_eq!(labelled, "a timer slot has a name and no label");
    let skipped = refused_slot(parse_quote! { Round(#[slot(skip)] bool) });
    assert_eq!(skipped, "a timer slot is told apart from others by all its fields: none can be skipped");
    let unneeded = refused_kind(parse_quote! { #[kind(label = "{0}")] Ping(u8, #[kind(skip)] u8) });
    assert_eq!(unneeded, "this variant has a label: a field that it does not name is left out");
}

#[test]
fn a_label_names_fields_that_there_are() {
    let label = |text: &str| {
        let variant = parse_quote! { #[kind(label = #text)] Ping { from: u8, to: u8 } };
        refused_kind(variant)
    };
    assert_eq!(label("{form}"), "there is no field `form`; there is from, to");
    assert_eq!(label("{0}"), "there is no field `0`; there is from, to");
    assert_eq!(label("{}"), "a label names its fields: {from}, {to}");
    assert_eq!(label("{from"), "a `{` is alone: `{{` writes one");
    assert_eq!(label("from}"), "a `}` is alone: `}}` writes one");
    assert_eq!(label("{from:to$}"), "`to$`: a width or a precision must be a number");
    let bare = refused_kind(parse_quote! { #[kind(label = "{0}")] Ping });
    assert_eq!(bare, "this variant has no fields to name");
}
