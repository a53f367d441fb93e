"""The levels of a task: their names, their items and gold, and until when these can be changed."""
