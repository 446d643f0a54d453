"""What each feature of floors.py counts; written by benchmarks/fit_floors.py, not by hand.

Source: 216 prompts of the fitting half of benchmarks/fixtures/prompts, among
0, 1,000, 10,000 other memories. Each project left out in turn, the worst size gives
precision 0.93, coverage 0.63, silence 0.97 at this floor.
"""

from __future__ import annotations

FLOOR = 0.68
WITH_MEANING = {
    "bias": -5.0834,
    "likeness": 4.0715,
    "shared_gap": -0.4288,
    "identifier": 2.9124,
    "cosine": 1.5698,
    "cosine_gap": -4.8436,
}
WORDS_ONLY = {
    "bias": -4.5351,
    "shared": 1.2576,
    "shared_gap": -0.5548,
    "identifier": 0.8438,
}
