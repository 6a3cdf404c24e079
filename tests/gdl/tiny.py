"""Small sheets of our own, each with something that grounding may get wrong."""

TIC_TAC_TOE = """
; Noughts and crosses, with comments, capitals of keywords and odd white space.
(ROLE x) (role o)
(init (turn x))
(<= (Init (square ?m ?n empty)) (line ?m) (line ?n))
(line 1) (line 2) (line 3)
(other x o) (other o x)
(<= (legal ?p (put ?m ?n)) (true (turn ?p)) (true (square ?m ?n empty)))
(<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
(<= (next (square ?m ?n ?p)) (does ?p (put ?m ?n)))
(<= (next (square ?m ?n ?v)) (true (square ?m ?n ?v)) (distinct ?v empty))
(<= (next (square ?m ?n empty)) (true (square ?m ?n empty))
    (does ?p (put ?j ?k)) (or (distinct ?m ?j) (distinct ?n ?k)))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= (three ?p) (line ?m) (true (square ?m 1 ?p)) (true (square ?m 2 ?p)) (true (square ?m 3 ?p)))
(<= (three ?p) (line ?n) (true (square 1 ?n ?p)) (true (square 2 ?n ?p)) (true (square 3 ?n ?p)))
(<= (three ?p) (true (square 1 1 ?p)) (true (square 2 2 ?p)) (true (square 3 3 ?p)))
(<= (three ?p) (true (square 3 1 ?p)) (true (square 2 2 ?p)) (true (square 1 3 ?p)))
(<= somebody (role ?p) (three ?p))
(<= room (true (square ?m ?n empty)))
(<= terminal somebody)
(<= TERMINAL (not room))
(<= (goal ?p 100) (role ?p) (three ?p))
(<= (goal ?p 50) (role ?p) (not somebody))
(<= (goal ?p 0) (role ?p) (other ?p ?q) (three ?q))
"""

LAMPS = """
; A puzzle: a switch turns its lamp and the neighbours. Goals by a variable, a counter.
(role me)
(lamp a) (lamp b) (lamp c) (lamp d)
(beside a b) (beside b c) (beside c d)
(<= (touches ?l ?l) (lamp ?l))
(<= (touches ?l ?m) (beside ?l ?m))
(<= (touches ?l ?m) (beside ?m ?l))
(init (clock 0)) (init (lit b))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (legal me (switch ?l)) (lamp ?l))
(<= (next (lit ?m)) (does me (switch ?l)) (touches ?l ?m) (not (true (lit ?m))))
(<= (next (lit ?m)) (true (lit ?m)) (does me (switch ?l)) (not (touches ?l ?m)))
(<= (next (clock ?u)) (true (clock ?t)) (after ?t ?u))
(<= terminal (true (clock 5)))
(<= terminal (not dark) (not (dim a)))
(<= dark (lamp ?l) (not (true (lit ?l))))
(<= (dim ?l) (lamp ?l) (not (true (lit ?l))))
(worth 0 100) (worth 1 90) (worth 2 80) (worth 3 70) (worth 4 60) (worth 5 10)
(<= (goal me ?v) (true (clock ?t)) (worth ?t ?v))
"""

HANDS = """
; Two choose at once, three times over; points are counted; the frame is a rule for all facts.
(role left) (role right)
(hand rock) (hand paper) (hand scissors)
(beats rock scissors) (beats scissors paper) (beats paper rock)
(init (round 1)) (init (points left 0)) (init (points right 0))
(plus1 0 1) (plus1 1 2) (plus1 2 3) (plus1 3 4)
(<= (legal ?p (show ?h)) (role ?p) (hand ?h) (not (true (tired ?p ?h))))
(<= (won ?p) (does ?p (show ?g)) (does ?q (show ?h)) (beats ?g ?h))
(<= (next (points ?p ?m)) (true (points ?p ?n)) (won ?p) (plus1 ?n ?m))
(<= (next ?f) (true ?f) (stays ?f))
(<= (stays (points ?p ?n)) (true (points ?p ?n)) (not (won ?p)))
(<= (next (tired ?p ?h)) (does ?p (show ?h)) (won ?p))
(<= (next (round ?m)) (true (round ?n)) (plus1 ?n ?m))
(<= terminal (true (round 4)))
(<= (ahead ?p) (true (points ?p ?m)) (true (points ?q ?n)) (distinct ?p ?q) (less ?n ?m))
(<= (less ?m ?n) (plus1 ?m ?n))
(<= (less ?m ?n) (plus1 ?m ?k) (less ?k ?n))
(<= (goal ?p 100) (ahead ?p))
(<= (goal ?p 50) (role ?p) (not (ahead left)) (not (ahead right)))
(<= (goal ?p 0) (role ?p) (ahead ?q) (distinct ?p ?q))
"""

PATHS = """
; A connection game: cells that are joined through stones, in a circle of rules and of cells.
(role red) (role blue)
(cell a) (cell b) (cell c) (cell d) (cell e)
(edge a b) (edge b c) (edge c d) (edge d a) (edge b e) (edge e d)
(<= (near ?x ?y) (edge ?x ?y))
(<= (near ?x ?y) (edge ?y ?x))
(init (control red))
(<= free (cell ?x) (not (taken ?x)))
(<= (taken ?x) (true (stone ?p ?x)))
(<= (legal ?p (take ?x)) (true (control ?p)) (cell ?x) (not (taken ?x)))
(<= (legal ?p pass) (role ?p) (not (true (control ?p))))
(<= (next (stone ?p ?x)) (does ?p (take ?x)))
(<= (next (stone ?p ?x)) (true (stone ?p ?x)))
(<= (next (control blue)) (true (control red)))
(<= (next (control red)) (true (control blue)))
(<= (joined ?p ?x ?x) (true (stone ?p ?x)))
(<= (joined ?p ?x ?z) (joined ?p ?x ?y) (near ?y ?z) (true (stone ?p ?z)))
(<= (odd ?p ?x ?y) (true (stone ?p ?x)) (near ?x ?y) (true (stone ?p ?y)))
(<= (odd ?p ?x ?z) (even ?p ?x ?y) (near ?y ?z) (true (stone ?p ?z)))
(<= (even ?p ?x ?z) (odd ?p ?x ?y) (near ?y ?z) (true (stone ?p ?z)))
(<= terminal (joined ?p a c))
(<= terminal (not free))
(<= (goal ?p 100) (joined ?p a c))
(<= (goal ?p 60) (role ?p) (not (joined ?p a c)) (even ?p a d))
(<= (goal ?p 10) (role ?p) (not (joined ?p a c)) (not (even ?p a d)))
"""

ODDITIES = """
; Functions in functions, moves with and without arguments, a relation named like a function,
; facts without parentheses, denials with a variable of their own, `or` in `not`, `legal` in a
; body, a base that never changes, moves that change nothing, rules that give what they need.
(role r1)
(init (box (pair 1 (item red)))) (init (box (pair 2 (item blue)))) (init always)
(number 1) (number 2)
lucky
(box nothing)
(<= (legal r1 (open (pair ?n ?i))) (true (box (pair ?n ?i))) (number ?n) lucky (true always))
(<= (legal r1 (stay)) (number ?n) (not (true (opened ?n ?i))))
(<= (legal r1 stay) (not (true crowded)) (many 1))
(<= (many ?n) (number ?n) (number ?m) (distinct ?n ?m) (not (or (true (opened ?n ?i)) unlucky)))
(<= (next crowded) (legal r1 (open (pair 1 ?i))) (legal r1 (open (pair 2 ?j))))
(<= (legal r1 ?m) (extra ?m) (true (box (pair 1 ?i))))
(extra wink) (extra (nod 1))
(<= (next (opened 2 nodded)) (does r1 (nod ?n)) (number ?n))
(<= (next (opened ?n ?i)) (does r1 (open (pair ?n ?i))))
(<= (next (opened ?n ?i)) (true (opened ?n ?i)))
(<= (next (box ?b)) (true (box ?b)) (not (does r1 (open ?b))))
(<= (next always) (true always))
(<= (next ?f) (next ?f))
(<= (next (mark ?m)) (does r1 ?m))
(<= (same ?x ?y) (number ?x) (number ?y) (not (distinct ?x ?y)))
(<= unlucky (same 1 2))
(<= closed (same ?x ?y) (true (box (pair ?x ?b))))
(<= terminal (not closed))
(<= (goal r1 100) (true (mark stay)))
(<= (goal r1 70) (true (mark (stay))))
(<= (goal r1 40) (true (mark (open (pair ?n (item ?c))))) (not (true (mark (stay)))))
(<= (goal r1 0) (not (true (mark stay))) (not (true (mark (stay)))) (not somewhere))
(<= somewhere (true (mark (open ?p))))
"""

ALL = {
    "tic_tac_toe": TIC_TAC_TOE,
    "lamps": LAMPS,
    "hands": HANDS,
    "paths": PATHS,
    "oddities": ODDITIES,
}
