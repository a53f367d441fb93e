"""The statistics of annotation: from ratings and best-worst answers to agreement, reliability and gold."""
