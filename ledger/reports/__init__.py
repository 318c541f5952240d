"""What a treasurer asks of the book: who pays whom, what a night came to, what made a member's account."""
