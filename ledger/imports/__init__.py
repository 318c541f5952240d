"""What comes into the book from files: whole books as JSON lines, and nights that were kept on paper."""
