"""The figures of a paper, drawn by matplotlib, which is loaded when a figure is drawn."""
