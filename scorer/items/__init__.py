"""What the items of a task are made of, and how they are split into trial, training and test."""
