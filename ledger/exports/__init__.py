"""What leaves the book as a file: one module a format. Lines of text come out; where they go is for others to say."""
