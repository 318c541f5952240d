"""The people's door, pages and the tablet: nothing here yet."""
