"""What each feature of floors.py counts; benchmarks/fit_floors.py wrote this.

Source: 270 prompts of the fitting half of benchmarks/fixtures/prompts, among 0, 1,000, 10,000
other memories. Each project left out in turn, the worst size gives precision 0.92,
coverage 0.72 and silence 0.97 at this floor.
"""

from __future__ import annotations

FLOOR = 0.61
WITH_MEANING = {
    "bias": -6.6188,
    "likeness": 0.8846,
    "shared_gap": -0.4059,
    "rarest": 1.4321,
    "identifier": 3.5361,
    "housekeeping": -1.7079,
    "cosine": 7.9322,
    "cosine_gap": -8.2218,
}
WORDS_ONLY = {
    "bias": -4.9697,
    "shared": 0.9066,
    "shared_gap": -0.5743,
    "rarest": 0.8973,
    "identifier": 0.6802,
    "housekeeping": -1.5934,
}
