; A certificate of Watchkeeper: an inductive invariant that implies a property.
; Verify it with `watchkeeper recheck FILE`, which builds the obligations anew from the
; definitions, or run it as it is, `z3 FILE` or `cvc5 --incremental FILE`, and see `unsat`
; after each name.
(set-info :watchkeeper-certificate 1)
(set-info :kind induction)
(set-info :system "counter")
(set-info :claim "bounded")
(set-info :found "by hand")
(set-info :solver "none")
(set-info :command "watchkeeper prove ""counter""")
(set-logic ALL)
(set-info :numbers integers)

; The parameters.
(set-info :section parameters)
(declare-const n Int)

; What is known of the parameters.
(set-info :section assumptions)
(define-fun assumption.1 () Bool (<= 2 n))

; The state before a step.
(set-info :section variables)
(declare-const x Int)
(declare-const done Bool)

; What is chosen or drawn in a step.
(set-info :section choices)
(declare-const d Int)

; The ways to begin: when each is possible, and the values it gives.
(set-info :section beginnings)
(set-info :beginning "initially")
(define-fun beginning.1 () Bool true)
(define-fun beginning.1.x () Int 0)
(define-fun beginning.1.done () Bool false)

; The paths: when each is possible, and the new values. What has none keeps its value.
(set-info :section paths)
(set-info :path "count")
(define-fun path.1 () Bool (and (not done) (<= 1 d) (<= d 2) (<= (+ x d) n)))
(define-fun path.1.x () Int (+ x d))
(set-info :path "end: stop")
(define-fun path.2 () Bool (and (= x n) (not done)))
(define-fun path.2.done () Bool true)
(set-info :path "end: again")
(define-fun path.3 () Bool (and (= x n) (not done)))
(define-fun path.3.x () Int 0)

; The invariant, a conjunct each.
(set-info :section invariant)
; x <= n
(set-info :conjunct "c1")
(define-fun conjunct.1 ((x Int)) Bool (<= x n))
; done => x = n
(set-info :conjunct "c2")
(define-fun conjunct.2 ((x Int) (done Bool)) Bool (=> done (= x n)))

; What the invariant implies.
(set-info :section property)
; x <= n
(set-info :property "bounded")
(define-fun property.1 ((x Int)) Bool (<= x n))

; The obligations. After each name there must be unsat.
(set-info :section obligations)
; The parameters are as assumed.
(assert assumption.1)
(push 1)
(assert beginning.1)
(assert (not (conjunct.1 beginning.1.x)))
(echo "initiation of c1 in ""initially""")
(check-sat)
(pop 1)
(push 1)
(assert beginning.1)
(assert (not (conjunct.2 beginning.1.x beginning.1.done)))
(echo "initiation of c2 in ""initially""")
(check-sat)
(pop 1)
; From here on the state before is one of the invariant.
(assert (conjunct.1 x))
(assert (conjunct.2 x done))
(push 1)
(assert path.1)
(assert (not (conjunct.1 path.1.x)))
(echo "consecution of c1 under ""count""")
(check-sat)
(pop 1)
(push 1)
(assert path.1)
(assert (not (conjunct.2 path.1.x done)))
(echo "consecution of c2 under ""count""")
(check-sat)
(pop 1)
(push 1)
(assert path.2)
(assert (not (conjunct.1 x)))
(echo "consecution of c1 under ""end: stop""")
(check-sat)
(pop 1)
(push 1)
(assert path.2)
(assert (not (conjunct.2 x path.2.done)))
(echo "consecution of c2 under ""end: stop""")
(check-sat)
(pop 1)
(push 1)
(assert path.3)
(assert (not (conjunct.1 path.3.x)))
(echo "consecution of c1 under ""end: again""")
(check-sat)
(pop 1)
(push 1)
(assert path.3)
(assert (not (conjunct.2 path.3.x done)))
(echo "consecution of c2 under ""end: again""")
(check-sat)
(pop 1)
(push 1)
(assert (not (property.1 x)))
(echo "safety: the invariant implies bounded")
(check-sat)
(pop 1)
