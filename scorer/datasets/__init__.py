"""The data set of a campaign of annotation: what is published, how it is described, and its figures."""
