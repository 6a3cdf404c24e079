"""The language GDL: read KIF text, check it, bring it into a normal form."""
