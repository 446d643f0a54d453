"""Labelled sets and benches: how often a surface, and the rule that stands in for it, is right."""
