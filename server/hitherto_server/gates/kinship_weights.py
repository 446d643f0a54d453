"""What each feature of kinship.py counts; benchmarks/fit_kinship.py wrote this.

Source: labelled pairs (180 first, 100 opened, 243 own, 180 second), and near notes of one project.
Left out of the fit, precision and recall of duplicates, then of contradictions:
- a file: first 1.00 / 0.33 / 0.88 / 0.68, alarms 5 of 898
- a file: second 0.96 / 0.44 / 0.92 / 0.75, alarms 5 of 889
- a file: opened 0.93 / 0.43 / 0.80 / 0.80, alarms 2 of 673
- a hand: first 1.00 / 0.33 / 0.88 / 0.68, alarms 4 of 898
- a hand: second 0.96 / 0.43 / 0.91 / 0.69, alarms 3 of 889
- a hand: opened 0.88 / 0.50 / 0.82 / 0.78, alarms 6 of 673
"""

from __future__ import annotations

WITH_MEANING = (
    {
        "bias": -11.0951,
        "common": 3.2665,
        "shorter": -0.1188,
        "longer": 0.9040,
        "covered": -2.2654,
        "covering": 0.6188,
        "names": 4.3086,
        "amounts_same": 6.3054,
        "amounts_changed": -1.1743,
        "amounts_close": 0.7290,
        "amounts_left": -0.7523,
        "amounts_added": -1.4003,
        "changes": -0.7224,
        "changes_before": -2.2948,
        "both_deny": 1.8043,
        "permission": -0.3137,
        "apart": -1.7718,
        "opposites": -8.4892,
        "alternatives": -3.4963,
        "subject": -0.3090,
        "cosine": 9.9793,
        "near": -0.5173,
    },
    {
        "bias": -2.2405,
        "common": 4.5378,
        "shorter": -3.3171,
        "longer": -0.9947,
        "covered": 2.5507,
        "covering": -6.6367,
        "names": -0.0336,
        "amounts_same": 1.5139,
        "amounts_changed": 2.5880,
        "amounts_close": 0.1105,
        "amounts_left": -2.4334,
        "amounts_added": -0.2637,
        "changes": 3.6461,
        "changes_before": -2.2648,
        "both_deny": -0.7216,
        "permission": 0.4733,
        "apart": 1.4110,
        "opposites": 3.0516,
        "alternatives": 0.7602,
        "subject": -1.4365,
        "cosine": 12.0681,
        "near": -8.7197,
    },
)
WORDS_ONLY = (
    {
        "bias": -7.1214,
        "common": 4.1416,
        "shorter": 0.4251,
        "longer": -0.1035,
        "covered": 1.3005,
        "covering": 1.6179,
        "names": 5.2610,
        "amounts_same": 6.0815,
        "amounts_changed": -0.9485,
        "amounts_close": 0.8015,
        "amounts_left": -0.9190,
        "amounts_added": -1.4625,
        "changes": -1.2032,
        "changes_before": -2.2726,
        "both_deny": 1.6128,
        "permission": -0.5845,
        "apart": -1.2268,
        "opposites": -8.7311,
        "alternatives": -4.3419,
        "subject": -0.2863,
    },
    {
        "bias": 2.9137,
        "common": 5.8055,
        "shorter": -3.0836,
        "longer": -1.8973,
        "covered": 4.8300,
        "covering": -6.3917,
        "names": 1.2454,
        "amounts_same": 1.4094,
        "amounts_changed": 2.7995,
        "amounts_close": -0.0490,
        "amounts_left": -2.3942,
        "amounts_added": -0.3613,
        "changes": 3.4972,
        "changes_before": -2.2850,
        "both_deny": -0.7111,
        "permission": 0.4234,
        "apart": 1.6065,
        "opposites": 2.1500,
        "alternatives": 0.0930,
        "subject": -1.1177,
    },
)
