"""Input that nobody would write, and nights that somebody could have."""
