"""What each feature of kinship.py counts; benchmarks/fit_kinship.py wrote this.

Source: labelled pairs (180 first, 100 opened, 243 own, 180 second), and near notes of one project.
Left out of the fit, precision and recall of duplicates, then of contradictions:
- a file: first 1.00 / 0.33 / 0.89 / 0.69, alarms 5 of 898
- a file: second 0.96 / 0.44 / 0.91 / 0.71, alarms 6 of 889
- a file: opened 1.00 / 0.43 / 0.81 / 0.75, alarms 5 of 673
- a hand: first 1.00 / 0.31 / 0.89 / 0.65, alarms 5 of 898
- a hand: second 0.96 / 0.41 / 0.92 / 0.67, alarms 4 of 889
- a hand: opened 0.93 / 0.43 / 0.81 / 0.75, alarms 8 of 673
"""

from __future__ import annotations

WITH_MEANING = (
    {
        "bias": -12.3941,
        "common": 3.2002,
        "shorter": -0.1349,
        "longer": 1.3864,
        "covered": -2.1930,
        "covering": 1.1556,
        "names": 4.1461,
        "amounts_same": 6.1434,
        "amounts_changed": -1.1274,
        "amounts_close": 0.4246,
        "amounts_left": -0.7624,
        "amounts_added": -1.3638,
        "changes": -0.2873,
        "changes_before": -2.1967,
        "both_deny": 1.9069,
        "permission": -0.1995,
        "apart": -2.0354,
        "opposites": -8.7350,
        "alternatives": -3.7923,
        "subject": -0.5891,
        "cosine": 10.1104,
        "near": -1.5934,
    },
    {
        "bias": -3.3152,
        "common": 4.5102,
        "shorter": -3.3908,
        "longer": -0.4846,
        "covered": 2.2917,
        "covering": -5.8017,
        "names": -0.4465,
        "amounts_same": 0.4466,
        "amounts_changed": 2.7473,
        "amounts_close": 0.1268,
        "amounts_left": -2.5671,
        "amounts_added": -0.1393,
        "changes": 3.8435,
        "changes_before": -2.6354,
        "both_deny": -0.8273,
        "permission": 0.4954,
        "apart": 1.6465,
        "opposites": 3.2750,
        "alternatives": 1.2057,
        "subject": -1.8416,
        "cosine": 11.8164,
        "near": -9.1843,
    },
)
WORDS_ONLY = (
    {
        "bias": -7.9650,
        "common": 4.2229,
        "shorter": 0.3126,
        "longer": 0.2970,
        "covered": 1.0319,
        "covering": 1.9106,
        "names": 5.0665,
        "amounts_same": 5.8755,
        "amounts_changed": -0.8981,
        "amounts_close": 0.4458,
        "amounts_left": -0.9285,
        "amounts_added": -1.4573,
        "changes": -0.7375,
        "changes_before": -2.1871,
        "both_deny": 1.7217,
        "permission": -0.4781,
        "apart": -1.5246,
        "opposites": -8.9277,
        "alternatives": -4.7158,
        "subject": -0.5460,
    },
    {
        "bias": 2.1900,
        "common": 5.9218,
        "shorter": -3.2250,
        "longer": -1.5265,
        "covered": 4.2516,
        "covering": -5.8722,
        "names": 0.7800,
        "amounts_same": 0.3986,
        "amounts_changed": 2.8894,
        "amounts_close": -0.0550,
        "amounts_left": -2.4794,
        "amounts_added": -0.2676,
        "changes": 3.6912,
        "changes_before": -2.5632,
        "both_deny": -0.7992,
        "permission": 0.4662,
        "apart": 1.7684,
        "opposites": 2.3490,
        "alternatives": 0.5282,
        "subject": -1.5089,
    },
)
