//! What is printed is read as the same tree.

use proptest::prelude::*;
use watchkeeper_mcrl2::syntax::{
    ActionFormula, ActionFormulaKind, Assignment, BinaryOperator, Connective, DataBinder, DataExpr,
    DataExprKind, Fixpoint, FixpointParameter, FormulaQuantifier, Ident, ProcessExpr, ProcessExprKind,
    RegularFormula, RegularFormulaKind, SortExpr, SortExprKind, Span, StateFormula, StateFormulaKind,
    UnaryOperator, VariableDeclaration, parse_data_expression, parse_formula, parse_process_expression,
};

const NOWHERE: Span = Span { start: 0, end: 0, line: 0, column: 0 };

/// A tree as a text without its places.
fn shape(tree: &impl std::fmt::Debug) -> String {
    let text = format!("{tree:?}");
    let mut pieces = text.split("Span {");
    let mut shape = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        shape.push_str(piece.split_once('}').map_or("", |(_, rest)| rest));
    }
    shape
}

fn ident(name: &str) -> Ident {
    Ident { name: name.to_owned(), span: NOWHERE }
}

fn variable(name: &str) -> VariableDeclaration {
    let kind = SortExprKind::Named("S".to_owned());
    VariableDeclaration { name: ident(name), sort: SortExpr { kind, span: NOWHERE } }
}

fn data() -> impl Strategy<Value = DataExpr> + Clone {
    let leaf = prop_oneof![
        prop::sample::select(vec!["x", "y", "f", "true"])
            .prop_map(|name| DataExprKind::Name(name.to_owned())),
        (0..20_u8).prop_map(|number| DataExprKind::Number(number.to_string())),
        Just(DataExprKind::List(Vec::new())),
        Just(DataExprKind::Set(Vec::new())),
        Just(DataExprKind::Bag(Vec::new())),
    ];
    let leaf = leaf.prop_map(|kind| DataExpr { kind, span: NOWHERE });
    leaf.prop_recursive(5, 40, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3);
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone(), inner.clone()).prop_map(|(a, b)| Box::new([a, b]));
        let three = (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| Box::new([a, b, c]));
        let binder = prop::sample::select(vec![DataBinder::Forall, DataBinder::Exists, DataBinder::Lambda]);
        let unary = prop::sample::select(vec![UnaryOperator::Not, UnaryOperator::Minus, UnaryOperator::Size]);
        prop_oneof![
            4 => (prop::sample::select(BinaryOperator::ALL.to_vec()), two).prop_map(|(op, ab)| DataExprKind::Binary(op, ab)),
            2 => (unary, one.clone()).prop_map(|(op, a)| DataExprKind::Unary(op, a)),
            2 => (one.clone(), list.clone()).prop_map(|(f, list)| DataExprKind::Apply(f, list)),
            1 => three.prop_map(DataExprKind::Update),
            2 => (binder, one.clone()).prop_map(|(binder, a)| DataExprKind::Bind(binder, vec![variable("x"), variable("y")], a)),
            1 => (one.clone(), inner.clone()).prop_map(|(a, value)| {
                DataExprKind::Where(a, vec![Assignment { name: ident("z"), value }])
            }),
            1 => one.prop_map(|a| DataExprKind::Comprehension(Box::new(variable("x")), a)),
            1 => list.clone().prop_map(DataExprKind::List),
            1 => list.prop_map(DataExprKind::Set),
            1 => prop::collection::vec((inner.clone(), inner), 1..3).prop_map(DataExprKind::Bag),
        ]
        .prop_map(|kind| DataExpr { kind, span: NOWHERE })
    })
}

fn process() -> impl Strategy<Value = ProcessExpr> {
    let leaf = prop_oneof![
        Just(ProcessExprKind::Delta),
        Just(ProcessExprKind::Tau),
        Just(ProcessExprKind::Call(ident("a"), Vec::new())),
        Just(ProcessExprKind::Instance(ident("P"), Vec::new())),
        data().prop_map(|value| ProcessExprKind::Instance(
            ident("P"),
            vec![Assignment { name: ident("x"), value }]
        )),
        data().prop_map(|argument| ProcessExprKind::Call(ident("b"), vec![argument])),
    ];
    let leaf = leaf.prop_map(|kind| ProcessExpr { kind, span: NOWHERE });
    leaf.prop_recursive(5, 40, 3, |inner| {
        let chain = prop::collection::vec(inner.clone(), 2..4);
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone(), inner.clone()).prop_map(|(a, b)| Box::new([a, b]));
        let data = data().prop_map(Box::new);
        prop_oneof![
            chain.clone().prop_map(ProcessExprKind::Choice),
            chain.clone().prop_map(ProcessExprKind::Sequence),
            chain.clone().prop_map(ProcessExprKind::Parallel),
            chain.prop_map(ProcessExprKind::Sync),
            two.clone().prop_map(ProcessExprKind::LeftMerge),
            two.prop_map(ProcessExprKind::Until),
            (data.clone(), one.clone(), prop::option::of(one.clone()))
                .prop_map(|(c, then, otherwise)| ProcessExprKind::If(c, then, otherwise)),
            one.clone().prop_map(|body| ProcessExprKind::Sum(vec![variable("x")], body)),
            (data.clone(), one.clone()).prop_map(|(d, body)| ProcessExprKind::Dist(
                vec![variable("x")],
                d,
                body
            )),
            (one.clone(), data).prop_map(|(body, time)| ProcessExprKind::At(body, time)),
            one.clone().prop_map(|body| ProcessExprKind::Block(vec![ident("a"), ident("b")], body)),
            one.clone().prop_map(|body| ProcessExprKind::Hide(Vec::new(), body)),
            one.clone().prop_map(|body| ProcessExprKind::Rename(vec![(ident("a"), ident("b"))], body)),
            one.clone().prop_map(|body| ProcessExprKind::Allow(
                vec![vec![ident("a"), ident("b")], vec![ident("c")]],
                body
            )),
            one.prop_map(|body| ProcessExprKind::Comm(
                vec![(vec![ident("a"), ident("b")], ident("c"))],
                body
            )),
        ]
        .prop_map(|kind| ProcessExpr { kind, span: NOWHERE })
    })
}

const CONNECTIVES: [Connective; 3] = [Connective::And, Connective::Or, Connective::Implies];

fn action() -> impl Strategy<Value = ActionFormula> + Clone {
    let leaf = prop_oneof![
        Just(ActionFormulaKind::True),
        Just(ActionFormulaKind::False),
        Just(ActionFormulaKind::MultiAction(Vec::new())),
        data().prop_map(|e| ActionFormulaKind::Data(Box::new(e))),
        data().prop_map(|e| ActionFormulaKind::MultiAction(vec![
            (ident("a"), vec![e]),
            (ident("b"), Vec::new())
        ])),
    ];
    let leaf = leaf.prop_map(|kind| ActionFormula { kind, span: NOWHERE });
    leaf.prop_recursive(3, 12, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone(), inner).prop_map(|(a, b)| Box::new([a, b]));
        prop_oneof![
            one.clone().prop_map(ActionFormulaKind::Not),
            (prop::sample::select(CONNECTIVES.to_vec()), two)
                .prop_map(|(c, ab)| ActionFormulaKind::Connective(c, ab)),
            one.clone().prop_map(|body| {
                ActionFormulaKind::Quantified(FormulaQuantifier::Exists, vec![variable("x")], body)
            }),
            (one, data()).prop_map(|(body, time)| ActionFormulaKind::At(body, Box::new(time))),
        ]
        .prop_map(|kind| ActionFormula { kind, span: NOWHERE })
    })
}

fn regular() -> impl Strategy<Value = RegularFormula> + Clone {
    let leaf = prop_oneof![
        1 => Just(RegularFormulaKind::Nil),
        5 => action().prop_map(RegularFormulaKind::Action),
    ];
    let leaf = leaf.prop_map(|kind| RegularFormula { kind, span: NOWHERE });
    leaf.prop_recursive(3, 12, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone(), inner).prop_map(|(a, b)| Box::new([a, b]));
        prop_oneof![
            two.clone().prop_map(RegularFormulaKind::Sequence),
            two.prop_map(RegularFormulaKind::Choice),
            one.clone().prop_map(RegularFormulaKind::Star),
            one.prop_map(RegularFormulaKind::Plus),
        ]
        .prop_map(|kind| RegularFormula { kind, span: NOWHERE })
    })
}

fn state() -> impl Strategy<Value = StateFormula> {
    let leaf = prop_oneof![
        Just(StateFormulaKind::True),
        Just(StateFormulaKind::False),
        Just(StateFormulaKind::Delay(None)),
        data().prop_map(|e| StateFormulaKind::Yaled(Some(Box::new(e)))),
        data().prop_map(|e| StateFormulaKind::Data(Box::new(e))),
        data().prop_map(|e| StateFormulaKind::Variable(ident("X"), vec![e])),
        Just(StateFormulaKind::Variable(ident("Y"), Vec::new())),
    ];
    let leaf = leaf.prop_map(|kind| StateFormula { kind, span: NOWHERE });
    leaf.prop_recursive(4, 20, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone(), inner).prop_map(|(a, b)| Box::new([a, b]));
        let steps = regular().prop_map(Box::new);
        let parameter = data().prop_map(|initial| {
            let VariableDeclaration { name, sort } = variable("n");
            vec![FixpointParameter { name, sort, initial }]
        });
        prop_oneof![
            one.clone().prop_map(StateFormulaKind::Not),
            (prop::sample::select(CONNECTIVES.to_vec()), two)
                .prop_map(|(c, ab)| StateFormulaKind::Connective(c, ab)),
            one.clone().prop_map(|body| {
                StateFormulaKind::Quantified(FormulaQuantifier::Forall, vec![variable("x")], body)
            }),
            (steps.clone(), one.clone()).prop_map(|(steps, body)| StateFormulaKind::Box(steps, body)),
            (steps, one.clone()).prop_map(|(steps, body)| StateFormulaKind::Diamond(steps, body)),
            (parameter, one.clone()).prop_map(|(parameters, body)| {
                StateFormulaKind::Fixpoint(Fixpoint::Least, ident("X"), parameters, body)
            }),
            one.prop_map(|body| StateFormulaKind::Fixpoint(Fixpoint::Greatest, ident("Y"), Vec::new(), body)),
        ]
        .prop_map(|kind| StateFormula { kind, span: NOWHERE })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn data_expressions(expression in data()) {
        let text = expression.to_string();
        let again = parse_data_expression(&text).map(|again| shape(&again));
        prop_assert_eq!(again, Ok(shape(&expression)), "{}", text);
    }

    #[test]
    fn process_expressions(expression in process()) {
        let text = expression.to_string();
        let again = parse_process_expression(&text).map(|again| shape(&again));
        prop_assert_eq!(again, Ok(shape(&expression)), "{}", text);
    }

    #[test]
    fn state_formulas(formula in state()) {
        let text = formula.to_string();
        let again = parse_formula(&text).map(|again| shape(&again.formula));
        prop_assert_eq!(again, Ok(shape(&formula)), "{}", text);
    }
}
