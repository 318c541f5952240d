"""Kittybook's core: the rules of each game, the book of each night, and the money that follows from them."""
