"""The version of the distribution, where reading it costs nothing: every signature carries it."""

__version__ = "0.1.0"
