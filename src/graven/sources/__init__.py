"""Where games come from: the registry, GDL text, Python files and classes, OpenSpiel."""
