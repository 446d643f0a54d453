"""Labelled sets and benches: how often each surface, and the rule that stands in for it, is right."""
