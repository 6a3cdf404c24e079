"""Games in GDL: read, check and ground rules, build a propositional network, and play it."""
