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
    let full: DeriveInput = parse_quote! { enum Timer { Round(u8) } };
    assert_eq!(refusal(slot, full), "a timer slot has no fields");
}

#[test]
fn a_name_must_be_a_text() {
    let numbered: DeriveInput = parse_quote! { enum Msg { #[kind(3)] Ping } };
    assert_eq!(refusal(kind, numbered), "expected string literal");
    let bare: DeriveInput = parse_quote! { enum Timer { #[slot] Round } };
    assert!(refusal(slot, bare).contains("expected"));
}
