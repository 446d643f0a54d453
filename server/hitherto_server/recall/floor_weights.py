"""What each feature of floors.py counts; benchmarks/fit_floors.py wrote this.

Source: 270 prompts of the fitting half of benchmarks/fixtures/prompts, among 0, 1,000, 10,000
other memories. Each project left out in turn, the worst size gives precision 0.93,
coverage 0.69 and silence 0.97 at this floor.
"""

from __future__ import annotations

FLOOR = 0.65
WITH_MEANING = {
    "bias": -6.6161,
    "likeness": 0.8889,
    "shared_gap": -0.4062,
    "rarest": 1.4299,
    "identifier": 3.5353,
    "housekeeping": -1.7005,
    "cosine": 7.9244,
    "cosine_gap": -8.2181,
}
WORDS_ONLY = {
    "bias": -4.9685,
    "shared": 0.9069,
    "shared_gap": -0.5744,
    "rarest": 0.8962,
    "identifier": 0.6798,
    "housekeeping": -1.5870,
}
