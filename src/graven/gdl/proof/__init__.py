"""Games that are too large to ground, played by proof: slower, with the same contract."""
