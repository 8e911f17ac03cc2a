//! The language of mCRL2: texts are read into trees, names and sorts are found, data is evaluated. Every error points at its place
//! in the text; nothing here searches a state space or opens a file, and only `process` knows what an action does.
#![doc = include_str!("../README.md")]
//!
//! # From a text to values
//!
//! ```
//! use watchkeeper_mcrl2::data::Rewriter;
//! use watchkeeper_mcrl2::syntax::{parse_data_expression, parse_specification};
//! use watchkeeper_mcrl2::typing::{Scope, Signature, SortId};
//!
//! let specification = parse_specification(
//!     "sort Message = struct request(number: Nat) | reply;
//!      map  valid: Nat -> Bool;
//!           length: List(Message) -> Nat;
//!      var  n: Nat; m: Message; l: List(Message);
//!      eqn  valid(n) = n < 3;
//!           length([]) = 0;
//!           length(m |> l) = 1 + length(l);
//!      act  send: Message;
//!      proc P(k: Nat) = sum n: Nat . valid(n) -> send(request(n)) . P(k + 1);
//!      init P(0);",
//! )?;
//!
//! // What the names mean, and the equations.
//! let mut signature = Signature::of(&specification.data)?;
//! let mut rewriter = Rewriter::new(&signature)?;
//!
//! // An expression is read, typed with the variables that it may use, compiled and evaluated.
//! let mut scope = Scope::new();
//! let k = scope.declare(&mut signature, "k", SortId::NAT);
//! let expression = parse_data_expression("length([reply, request(k)]) + k")?;
//! let term = signature.typed(&scope, &expression, Some(SortId::NAT))?;
//! let compiled = rewriter.compile(&signature, &term, &[k])?;
//! let five = rewriter.integer(5);
//! let value = rewriter.evaluate(&compiled, &[five])?;
//! assert_eq!(rewriter.print(value), "7");
//!
//! // The values of a variable of an infinite sort are found if the condition bounds it, also by a function.
//! let n = scope.declare(&mut signature, "n", SortId::NAT);
//! let condition = signature.typed(&scope, &parse_data_expression("valid(n) && n != k")?, Some(SortId::BOOL))?;
//! let condition = rewriter.compile_condition(&signature, &condition, &[k], &[n])?;
//! let one = rewriter.integer(1);
//! let found = rewriter.solutions(&condition, &[one])?;
//! assert_eq!(found, [[rewriter.integer(0)], [rewriter.integer(2)]]);
//!
//! // Whatever is wrong points at its place.
//! let wrong = parse_data_expression("valid(true)").map(|wrong| signature.typed(&scope, &wrong, None))?;
//! assert_eq!(
//!     wrong.unwrap_err().to_string(),
//!     "line 1, column 1: 'valid' takes Nat, but here it is applied to Bool"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way of a text:
//!
//! ```text
//! text -> Specification, FormulaSpecification, DataExpr   syntax: trees whose nodes know their places
//! declarations -> Signature                               typing: sorts and functions as numbers, equations typed
//! expression, Scope -> DataTerm                           typing: one reading, by what stands around it
//! Signature -> Rewriter                                   data: equations compiled
//! DataTerm, variables -> CompiledTerm -> ValueId          data: equal values are equal numbers
//! DataTerm, variables -> CompiledCondition -> solutions   data: values that make a condition true
//! ```
//!
//! Values are built by constructors, numbers, lists, sets, bags and functions. What no equation rewrites any further, such as
//! `head([])` or a constant without equations, is a value of its own, as in mCRL2: it is equal to itself, and whether it equals
//! something else is not known. A number is the same value as a `Pos`, a `Nat`, an `Int` and a `Real`, so widening costs nothing.

pub mod data;
mod error;
pub mod process;
pub mod syntax;
pub mod typing;

pub use error::LanguageError;
