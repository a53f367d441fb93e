"""Systems that learn from training items: a regression on baselines, and encoders that are fine-tuned."""
