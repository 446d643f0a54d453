"""What each feature of worth.py counts; benchmarks/fit_turn_worth.py wrote this.

Precision and recall of each writer's turns, by weights that never saw that writer:

- shipped: 1.00 and 0.44
- opened: 0.79 and 0.85
- training: 0.88 and 0.59
"""

from __future__ import annotations

LEAST = 0.55
WEIGHTS = {
    "bias": -7.1297,
    "words": 1.0722,
    "limit": 1.1498,
    "outside": 0.6156,
    "warns": 0.7406,
    "dealt": -1.2370,
    "not_done": -2.2772,
    "seeks": 2.6095,
    "symptom": 0.5723,
    "numbers": 0.3517,
    "probed": 0.5071,
    "plain": 2.8346,
}
