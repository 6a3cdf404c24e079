"""Games as ordinary Python objects, and OpenSpiel's."""
