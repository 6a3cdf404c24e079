"""What a game is, and the ground everything else stands on. Imports nothing else of ours."""
