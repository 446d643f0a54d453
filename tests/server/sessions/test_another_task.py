"""Which prompts begin another task than the one whose work is not stored."""

from __future__ import annotations

import pytest

from hitherto_server.sessions.prompt.another_task import begins, may_begin

EARLIER = "fix the layout of the invoice"
FILES = ("pdf/InvoicePage.py",)


def turns_away(prompt: str, *, has_ended: bool = True) -> bool:
    return begins(prompt, has_ended=has_ended, earlier=EARLIER, files=FILES)


@pytest.mark.parametrize(
    "prompt",
    [
        "Set up Sentry for the mobile app",
        "Which of our dependencies are unmaintained?",
        "Bitte erstelle eine Seite für das Impressum",
        "That's it for the PDF. The sitemap, then.",
        "while you're there: the logo is blurred on retina screens",
        "the layout aside, the search finds nothing with umlauts",
        "the nightly backup ran out of disk space on db2, please look at the server",
    ],
)
def test_a_request_that_stands_by_itself_is_another_task(prompt: str) -> None:
    assert turns_away(prompt)
    assert may_begin(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "write tests for the invoice",
        "Build a second page for long addresses",
        "make the tone more formal",
        "set the margin to 20 mm",
        "now add the same for receipts",
        "commit and push",
        "why did the footer move?",
    ],
)
def test_what_names_the_earlier_work_or_points_back_goes_on(prompt: str) -> None:
    assert not turns_away(prompt)


def test_a_prompt_after_a_break_corrects_what_was_broken_off() -> None:
    assert not turns_away("Set up Sentry for the mobile app", has_ended=False)


def test_without_the_earlier_request_only_words_that_turn_count() -> None:
    assert not begins("Set up Sentry for the mobile app", has_ended=True)
    assert begins("Something else: set up Sentry", has_ended=True)
