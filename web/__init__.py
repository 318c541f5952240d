"""The people's door: pages that work without JavaScript, and what they are made of."""
