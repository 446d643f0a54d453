"""How gitleaks' rules become ours."""

from __future__ import annotations

import re

import pytest

from hitherto_server.gates.secrets.derive import derive, python_spelling


@pytest.mark.parametrize(
    ("go", "python"),
    [
        (r"(?i)abc(?i)def", r"(?i)abcdef"),
        (r"\b(p8e-(?i)[a-z]{3})x", r"\b(p8e-(?i:[a-z]{3}))x"),
        (r"a(?i)[)]b", r"a(?i:[)]b)"),
        (r"x\z", r"x\Z"),
        (r"[^[]+[a[]", r"[^\[]+[a\[]"),
        (r"a\[(?i)b\)", r"a\[(?i:b\))"),
    ],
)
def test_a_flag_has_a_group_of_its_own_and_a_set_no_open_bracket(go, python):
    assert python_spelling(go) == python
    re.compile(python)


def test_a_flag_before_an_alternation_is_refused_since_its_reach_is_not_told():
    with pytest.raises(ValueError, match="alternation"):
        python_spelling(r"(a(?i)b|c)")


def test_a_vendors_rule_loses_the_name_before_it_and_ends_as_in_a_sentence():
    pattern = r"""(?i)[\w.-]{0,50}?(?:acme)[\s'"]{0,3}=([a-z0-9]{8})(?:[\x60'"\s;]|\\[nr]|$)"""
    [rule] = derive({"rules": [{"id": "acme-key", "regex": pattern, "keywords": ["ACME"]}]})
    assert rule["pattern"] == r"""(?i)(?:acme)[\s'"]{0,3}=([a-z0-9]{8})(?![\w/+=-])"""
    assert (rule["contextual"], rule["keywords"]) == (True, ["acme"])


def test_public_ids_and_what_we_do_ourselves_are_left_out():
    names = ("acme-client-id", "acme-public-key", "generic-api-key", "jwt", "private-key")
    rules = [{"id": name, "regex": "a", "keywords": ["a"]} for name in names]
    assert derive({"rules": rules}) == []
