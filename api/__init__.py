"""The JSON door: nothing here yet."""
