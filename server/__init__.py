"""The site: tasks, teams, uploads, leaderboards and releases."""
