"""What organizers plan of a task: its texts and state, phases, deadlines, baselines and registrations."""
