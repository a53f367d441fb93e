"""Statistical inference for leaderboards: which differences between systems are significant."""
