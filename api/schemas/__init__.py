"""What goes over the wire, described: commands from their dataclasses, answers as they are."""
