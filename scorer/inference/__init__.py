"""Inference: which differences between systems are real. Import the modules where they are used."""
