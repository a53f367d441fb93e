"""The site: tasks, teams, uploads, boards and releases."""
