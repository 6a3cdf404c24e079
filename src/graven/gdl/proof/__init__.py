"""Games too large to be grounded, played by proof: slower, under the same contract."""
