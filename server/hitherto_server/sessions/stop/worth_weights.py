"""What each feature of worth.py counts; benchmarks/fit_turn_worth.py wrote this.

Precision and recall of each writer's turns, by weights that never saw that writer:

- shipped: 1.00 and 0.33
- opened: 0.75 and 0.92
- training: 0.88 and 0.57
"""

from __future__ import annotations

LEAST = 0.55
WEIGHTS = {
    "bias": -8.7890,
    "words": 1.5749,
    "limit": 1.0738,
    "outside": 0.5163,
    "warns": 0.6423,
    "dealt": -1.6790,
    "not_done": -2.2078,
    "seeks": 2.5592,
    "symptom": 0.5679,
    "numbers": 0.3125,
    "probed": 0.4534,
    "plain": 2.9081,
}
