"""Random rulesheets, as a Hypothesis strategy."""

from __future__ import annotations

from hypothesis import strategies as st

VARIABLES = ["?x", "?y", "?z"]
CONSTANTS = ["a", "b", "c"]
STATE = {"(true (f {}))": 1, "(true (g {} {}))": 2, "(true h)": 0}
LAYERS = [("(r0 {})", 1), ("(r1 {} {})", 2), ("(r2 {})", 1), ("r3", 0)]


@st.composite
def bodies(draw: st.DrawFn, layer: int) -> tuple[str, list[str]]:
    """A safe body that may use relations below a layer, and its variables."""
    known = [*STATE.items(), ("(s {} {})", 2), ("(t {})", 1)]
    holds = known + LAYERS[: layer + 1]
    terms = st.sampled_from(VARIABLES + CONSTANTS[:1])
    parts, bound = [], set()
    for form, count in draw(st.lists(st.sampled_from(holds), min_size=1, max_size=3)):
        chosen = [draw(terms) for _ in range(count)]
        bound.update(each for each in chosen if each.startswith("?"))
        parts.append(form.format(*chosen))
    names = sorted(bound)
    inner = st.sampled_from(names + CONSTANTS)
    for form, count in draw(st.lists(st.sampled_from(known + LAYERS[:layer]), max_size=2)):
        parts.append(f"(not {form.format(*(draw(inner) for _ in range(count)))})")
    if names and draw(st.booleans()):
        parts.append(f"(distinct {draw(st.sampled_from(names))} {draw(inner)})")
    return " ".join(draw(st.permutations(parts))), names


@st.composite
def sheets(draw: st.DrawFn) -> str:
    lines = ["(role p) (init (f a)) (init (g a b)) (init (g b c)) (init h)"]
    lines.append("(s a b) (s b c) (s c a) (t a) (t c) (<= (legal p stop) (t a))")
    heads = [(form, count, i) for i, (form, count) in enumerate(LAYERS)]
    heads += [("(next (f {}))", 1, 4), ("(next (g {} {}))", 2, 4), ("(next h)", 0, 4)]
    heads += [("(legal p (m {}))", 1, 4), ("terminal", 0, 4), ("(goal p 30)", 0, 4)]
    for form, count, layer in heads:
        for _ in range(draw(st.integers(0 if layer == 4 else 1, 2))):
            body, names = draw(bodies(min(layer, 3)))
            if form.startswith("(next") and draw(st.booleans()):
                moved = draw(st.sampled_from([*VARIABLES, "a"]))
                body = f"{body} (does p (m {moved}))"
                names = sorted({*names, *([moved] if moved != "a" else [])})
            terms = st.sampled_from(names + CONSTANTS)
            head = form.format(*(draw(terms) for _ in range(count)))
            lines.append(f"(<= {head} {body})")
    return "\n".join(lines)
