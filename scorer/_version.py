"""The version of the distribution, which is a part of every signature, in a module that imports fast."""

__version__ = "0.1.0"
