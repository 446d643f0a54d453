"""What each feature of floors.py counts; benchmarks/fit_floors.py wrote this.

Source: 645 prompts of benchmarks/fixtures (the fitting half, and what of other hands may be
looked at), among 0, 1,000, 10,000 other memories. Each project left out in turn, the worst size
gives precision 0.92, coverage 0.51 and silence 0.97 at this floor.
"""

from __future__ import annotations

FLOOR = 0.64
WITH_MEANING = {
    "bias": -5.4645,
    "likeness": 2.4172,
    "shared_gap": -0.4785,
    "rarest": 0.7868,
    "identifier": 2.8651,
    "housekeeping": -1.9941,
    "cosine": 3.6431,
    "cosine_gap": -6.2131,
}
WORDS_ONLY = {
    "bias": -4.6690,
    "shared": 0.7987,
    "shared_gap": -0.5710,
    "rarest": 0.7180,
    "identifier": 1.6483,
    "housekeeping": -2.0932,
}
