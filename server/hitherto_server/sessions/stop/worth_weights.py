"""What each feature of worth.py counts; benchmarks/fit_turn_worth.py wrote this.

Precision and recall of each writer's turns, by weights that never saw that writer:

- shipped: 1.00 and 0.33
- opened: 0.75 and 0.92
- training: 0.88 and 0.57
"""

from __future__ import annotations

LEAST = 0.55
WEIGHTS = {
    "bias": -8.7835,
    "words": 1.5739,
    "limit": 1.0714,
    "outside": 0.5219,
    "warns": 0.6407,
    "dealt": -1.6802,
    "not_done": -2.2097,
    "seeks": 2.5574,
    "symptom": 0.5641,
    "numbers": 0.3131,
    "probed": 0.4498,
    "plain": 2.9059,
}
