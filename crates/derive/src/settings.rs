//! `SettingsTable`: one row for each field of the settings of a check, and one method of a builder for each row. The
//! field is the only definition: its name, its doc comment and its attribute.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, GenericArgument, Ident, Lit, LitStr,
    Meta, Path, PathArguments, Type,
};

pub(super) fn settings_table(input: &DeriveInput) -> Result<Tokens, Error> {
    let refused =
        || Error::new_spanned(&input.ident, "SettingsTable is derived for a struct with named fields");
    let Data::Struct(data) = &input.data else { return Err(refused()) };
    let Fields::Named(fields) = &data.fields else { return Err(refused()) };
    let mut builders = Vec::new();
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("settings")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("builder") {
                return Err(meta.error("expected `builder = TYPE`"));
            }
            builders.push(meta.value()?.parse::<Path>()?);
            Ok(())
        })?;
    }
    if builders.is_empty() {
        return Err(Error::new_spanned(&input.ident, "name the builder: #[settings(builder = TYPE)]"));
    }
    let settings = fields.named.iter().map(Setting::of).collect::<Result<Vec<_>, Error>>()?;
    let settings: Vec<Setting<'_>> = settings.into_iter().flatten().collect();
    let (name, rows) = (&input.ident, settings.iter().map(Setting::row));
    let methods: Vec<_> = settings.iter().map(Setting::method).collect();
    let methods = quote! { #(#methods)* };
    let builders = builders.iter().map(|builder| quote! { impl #builder { #methods } });
    Ok(quote! {
        #[automatically_derived]
        impl #name {
            /// All settings, in the order of their fields.
            pub const TABLE: &'static [crate::settings::SettingRow] = &[#(#rows),*];
        }

        #(#builders)*
    })
}

/// A field that is a setting.
struct Setting<'a> {
    field: &'a Ident,
    docs: Vec<&'a Attribute>,
    /// The `T` of `Option<Sourced<T>>`.
    value: &'a Type,
    said: Said,
}

/// What the attribute of a field says.
#[derive(Default)]
struct Said {
    heading: Option<Ident>,
    value_name: Option<LitStr>,
    variable: Option<LitStr>,
    /// The type that reads and writes the value, if not its own.
    through: Option<Type>,
    only: Option<Path>,
    argument: Argument,
}

/// What the method of the builder takes.
#[derive(Default)]
enum Argument {
    /// The value.
    #[default]
    Value,
    /// What becomes the value.
    From(Type),
    /// One more item of a list.
    Push(Type),
    /// All items of a set.
    Collect(Type),
}

impl<'a> Setting<'a> {
    /// The setting of a field, if it is one.
    fn of(field: &'a Field) -> Result<Option<Setting<'a>>, Error> {
        let Some(attribute) = field.attrs.iter().find(|attribute| attribute.path().is_ident("setting"))
        else {
            return Ok(None);
        };
        let mut said = Said::default();
        attribute.parse_nested_meta(|meta| said.read(&meta))?;
        if said.heading.is_none() || said.value_name.is_none() {
            let why = "a setting has a heading and the name of its value: #[setting(heading = Time, value = \"T\")]";
            return Err(Error::new_spanned(attribute, why));
        }
        let docs: Vec<&Attribute> =
            field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
        if docs.is_empty() {
            return Err(Error::new_spanned(field, "the doc comment of a setting is its help"));
        }
        let value = inner(&field.ty, "Option").and_then(|sourced| inner(sourced, "Sourced"));
        let value =
            value.ok_or_else(|| Error::new_spanned(&field.ty, "a setting is an Option<Sourced<T>>"))?;
        let field = field.ident.as_ref().expect("a named field");
        Ok(Some(Setting { field, docs, value, said }))
    }

    /// The type that reads and writes the value.
    fn reader(&self) -> &Type {
        self.said.through.as_ref().unwrap_or(self.value)
    }

    fn row(&self) -> Tokens {
        let (field, reader) = (self.field, self.reader());
        let name = field.to_string().replace('_', "-");
        let (help, details) = help(&self.docs);
        let Said { heading, value_name, .. } = &self.said;
        let variable = optional(self.said.variable.as_ref());
        let only = optional(self.said.only.as_ref());
        let (read, write) = match self.said.through {
            None => (quote! { value }, quote! { &given.value }),
            Some(_) => (quote! { value.into() }, quote! { &#reader::from(given.value.clone()) }),
        };
        quote! {
            crate::settings::SettingRow {
                name: #name,
                help: #help,
                details: #details,
                heading: crate::settings::Heading::#heading,
                value_name: #value_name,
                variable: #variable,
                shape: <#reader as crate::settings::SettingValue>::SHAPE,
                toml: <#reader as crate::settings::SettingValue>::TOML,
                only: #only,
                read: |text, settings| {
                    let value = <#reader as crate::settings::SettingValue>::read(text)?;
                    settings.#field = Some(crate::settings::Sourced { value: #read, origin: text.origin.clone() });
                    Ok(())
                },
                write: |settings| {
                    let given = settings.#field.as_ref()?;
                    Some(crate::settings::SettingValue::write(#write))
                },
            }
        }
    }

    fn method(&self) -> Tokens {
        let (field, docs, value) = (self.field, &self.docs, self.value);
        let origin = field.to_string();
        let set = |value: Tokens| {
            quote! {
                self.settings.#field = Some(crate::settings::Sourced {
                    value: #value,
                    origin: crate::problem::SettingOrigin::Call(#origin),
                });
            }
        };
        let (argument, body) = match &self.said.argument {
            Argument::Value => (quote! { #value }, set(quote! { #field })),
            Argument::From(from) => (quote! { #from }, set(quote! { #field.into() })),
            Argument::Collect(item) => {
                (quote! { impl IntoIterator<Item = #item> }, set(quote! { #field.into_iter().collect() }))
            }
            Argument::Push(item) => {
                let first = set(quote! { Vec::new() });
                let body = quote! {
                    if self.settings.#field.is_none() {
                        #first
                    }
                    if let Some(given) = &mut self.settings.#field {
                        given.value.push(#field.into());
                    }
                };
                (quote! { #item }, body)
            }
        };
        let more = matches!(self.said.argument, Argument::Push(_));
        let more = more.then(|| quote! { #[doc = "\n\nEach call adds one."] });
        quote! {
            #(#docs)*
            #more
            pub fn #field(mut self, #field: #argument) -> Self {
                #body
                self
            }
        }
    }
}

impl Said {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<(), Error> {
        let word = meta.path.require_ident()?.to_string();
        let value = meta.value()?;
        match word.as_str() {
            "heading" => self.heading = Some(value.parse()?),
            "value" => self.value_name = Some(value.parse()?),
            "env" => self.variable = Some(value.parse()?),
            "through" => self.through = Some(value.parse()?),
            "only" => self.only = Some(value.parse()?),
            "from" => self.argument = Argument::From(value.parse()?),
            "push" => self.argument = Argument::Push(value.parse()?),
            "collect" => self.argument = Argument::Collect(value.parse()?),
            _ => return Err(meta.error("expected heading, value, env, through, only, from, push or collect")),
        }
        Ok(())
    }
}

fn optional(value: Option<impl quote::ToTokens>) -> Tokens {
    value.map_or(quote! { None }, |value| quote! { Some(#value) })
}

/// The `T` of a type `NAME<T>`.
fn inner<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// A doc comment as help: its first paragraph in one line without the full stop, and all that follows as it is written.
fn help(docs: &[&Attribute]) -> (String, String) {
    let text = |attribute: &&Attribute| match &attribute.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.value(),
            _ => String::new(),
        },
        _ => String::new(),
    };
    let lines: Vec<String> = docs.iter().map(text).collect();
    let lines: Vec<&str> =
        lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    let end = lines.iter().position(|line| line.is_empty()).unwrap_or(lines.len());
    let (first, rest) = lines.split_at(end);
    (first.join(" ").trim_end_matches('.').to_string(), rest.join("\n").trim_matches('\n').to_string())
}
