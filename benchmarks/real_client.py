"""Puts the tests' harness of the real client within reach; import it before `realclient_*`."""

from __future__ import annotations

import sys

from harness import ROOT

sys.path[:0] = [str(ROOT / "tests" / "realclient"), str(ROOT)]
