"""The GGP protocol over HTTP: a player for general game playing servers, and a referee."""
