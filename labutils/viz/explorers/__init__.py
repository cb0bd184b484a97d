"""The explorers of the chapters, a module for each: controls, a figure, and what it shows."""
