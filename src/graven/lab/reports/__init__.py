"""Reports of a store: detected experiments, plots and an HTML page."""
