"""Assignments: taking them, their leases, and repair plans."""
