"""Typed judgments: questions with measured fallbacks, asked of the backend that a person chose."""
