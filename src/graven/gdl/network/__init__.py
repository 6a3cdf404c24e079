"""The propositional network of a game: from ground rules to gates."""
