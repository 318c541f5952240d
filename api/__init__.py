"""The JSON door: the book over HTTP, for tablets, screens and programs (contract, section 7)."""
