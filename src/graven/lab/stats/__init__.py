"""Statistics: confidence intervals, ratings, sequential tests."""
