"""A small game in GDL: take one or two of five objects; the player who takes the last one wins."""

TAKE_AWAY_RULES = """
(role white) (role black)
(init (heap 5)) (init (control white))
(succ 1 0) (succ 2 1) (succ 3 2) (succ 4 3) (succ 5 4)
(<= (legal ?p (take 1)) (true (control ?p)) (true (heap ?n)) (succ ?n ?m))
(<= (legal ?p (take 2)) (true (control ?p)) (true (heap ?n)) (succ ?n ?m) (succ ?m ?k))
(<= (legal white noop) (true (control black)))
(<= (legal black noop) (true (control white)))
(<= (next (heap ?m)) (does ?p (take 1)) (true (heap ?n)) (succ ?n ?m))
(<= (next (heap ?k)) (does ?p (take 2)) (true (heap ?n)) (succ ?n ?m) (succ ?m ?k))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= terminal (true (heap 0)))
(<= (goal white 100) (true (heap 0)) (true (control black)))
(<= (goal white 0) (true (control white)))
(<= (goal white 50) (true (control black)) (not (true (heap 0))))
(<= (goal black 100) (true (heap 0)) (true (control white)))
(<= (goal black 0) (true (control black)))
(<= (goal black 50) (true (control white)) (not (true (heap 0))))
"""
