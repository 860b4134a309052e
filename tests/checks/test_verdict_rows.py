"""The rows of the table at their edges, and what a finding says beside its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from retrodoc_checks import FileIndex, Place, Reason, StepFinding, Verdict, check_step
from retrodoc_checks import verdict as verdict_module
from retrodoc_checks.words import PRIOR_ELSEWHERE, PRIOR_HERE, Footing
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

SHOP = """\
from prices import price_of


class Order:
    def place(self, basket, voucher):
        total = price_of(basket)
        if voucher.expired:
            raise ValueError("too late")
        self.send_confirmation(total)
        return total

    def send_confirmation(self, total):
        message = render(total)
        message.deliver()

    def cancel(self):
        self.state = "cancelled"
        stock.release(self)


class Refund:
    def approve(self, manager):
        self.approved = manager
        ledger.credit(self.amount)

    def print_receipt(self, printer):
        printer.queue(self.receipt)
        # shred_paper is done by hand
"""
FILES = MemorySnapshot({"shop.py": SHOP, "lib/a.py": "x = 1\n", "other.py": "def weigh(parcel):\n    return parcel\n"})


def judge(text: str, *lines: tuple[int, int], path: str = "shop.py") -> StepFinding:
    return check_step(text, [SourceRef(path=path, start_line=start, end_line=end) for start, end in lines], FILES)


def test_every_name_found_is_valid_and_says_how_easily_it_passed() -> None:
    finding = judge("The total comes from `price_of`.", (6, 6))

    assert (finding.verdict, finding.reasons) == (Verdict.VALID, (Reason.ALL_FOUND,))
    assert finding.facts["passing-share"] == round(1 / 28, 4)
    assert finding.missing == ()
    assert finding.hint is None


def test_words_that_stand_elsewhere_make_a_name_doubtful() -> None:
    finding = judge("`approve` credits the ledger, the printer prints a receipt and the stock is released.", (22, 23))

    assert finding.reasons == (Reason.WORDS_ELSEWHERE,)
    assert finding.verdict is Verdict.DOUBTFUL
    assert {"printer", "receipt", "stock"} <= set(finding.facts["elsewhere"])
    assert finding.facts["words-elsewhere"] == len(finding.facts["elsewhere"])
    assert finding.facts["words-share"] < 0.42


def test_one_word_elsewhere_is_a_turn_of_phrase() -> None:
    finding = judge("`approve` is for the printer.", (22, 23))

    assert finding.reasons == (Reason.ALL_FOUND,)
    assert finding.facts["words-elsewhere"] == 1


def test_five_words_that_fit_best_here_are_valid_without_a_name() -> None:
    finding = judge("A manager approves the refund, and the ledger is credited with the amount.", (22, 24))

    assert (finding.verdict, finding.reasons) == (Verdict.VALID, (Reason.WORDS_AT_LINES,))
    assert set(finding.facts["at-lines"]) >= {"approves", "refund", "ledger", "credited", "amount"}
    assert finding.facts["words-ahead"] >= 0.9


def test_four_words_are_not_enough() -> None:
    finding = judge("The ledger is credited with the approved amount.", (22, 24))

    assert finding.facts["words-here"] == 4
    assert finding.reasons == (Reason.NOTHING_TO_CHECK,)


def test_the_same_words_at_another_place_are_nothing_to_check() -> None:
    finding = judge("A manager approves the refund, and the ledger is credited with the amount.", (12, 14))

    assert finding.reasons == (Reason.NOTHING_TO_CHECK,)
    assert "at-lines" not in finding.facts


def footing_of(here: int, elsewhere: int, percent: float, ahead: float = 0.95) -> Footing:
    """So many words at the lines and elsewhere; `percent` of all weight is at the lines."""
    words = [f"word{number}" for number in range(here + elsewhere)]
    weights = percent - PRIOR_HERE, 100.0 - percent - PRIOR_ELSEWHERE
    return Footing(tuple(words[:here]), tuple(words[here:]), *weights, ahead)


# what is known of the words, whether that is enough
ALONE = {
    "five words, as far ahead and as heavy as asked": (footing_of(5, 1, 56, 0.90), True),
    "more of each": (footing_of(9, 1, 90, 1.0), True),
    "four words": (footing_of(4, 1, 90), False),
    "not far enough ahead": (footing_of(5, 1, 56, 0.89), False),
    "too much elsewhere": (footing_of(5, 1, 55.9), False),
}
BESIDE = {
    "as heavy as asked": (footing_of(0, 2, 42), True),
    "heavier": (footing_of(0, 9, 80), True),
    "too much elsewhere": (footing_of(0, 2, 41.9), False),
    "far too much elsewhere": (footing_of(0, 9, 10), False),
    "too much, in one word": (footing_of(0, 1, 41.9), True),
    "none elsewhere": (footing_of(0, 0, 41.9), True),
}


@pytest.mark.parametrize("case", ALONE)
def test_words_alone_are_enough_from_these_bounds_on(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words, enough = ALONE[case]
    monkeypatch.setattr(verdict_module, "footing", lambda *_: words)

    finding = judge("A manager is asked.", (22, 24))

    assert finding.reasons == ((Reason.WORDS_AT_LINES,) if enough else (Reason.NOTHING_TO_CHECK,))
    assert finding.strength == round(words.share, 4)


@pytest.mark.parametrize("case", BESIDE)
def test_words_speak_against_names_under_these_bounds(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words, enough = BESIDE[case]
    monkeypatch.setattr(verdict_module, "footing", lambda *_: words)

    assert judge("`approve`", (22, 24)).reasons == ((Reason.ALL_FOUND,) if enough else (Reason.WORDS_ELSEWHERE,))


@pytest.mark.parametrize(("holding", "reason"), [(2, Reason.ALL_FOUND), (3, Reason.COULD_NOT_FAIL)])
def test_two_ranges_of_five_may_pass_and_three_may_not(holding: int, reason: Reason) -> None:
    files = MemorySnapshot({"a.py": "go()\n" * holding + "stop()\n" * (5 - holding)})

    assert check_step("`go`", [SourceRef(path="a.py", start_line=1, end_line=1)], files).reasons == (reason,)


def test_what_is_told_of_words_has_four_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_module, "footing", lambda *_: footing_of(3, 1, 76.54321, 0.987654))
    facts = judge("A manager is asked.", (22, 24)).facts

    assert (facts["words-share"], facts["words-ahead"]) == (0.7654, 0.9877)


def test_a_qualifier_beside_one_citation_makes_it_rare() -> None:
    files = MemorySnapshot({"a.py": "a.run()\nb.run()\nc.run()\nd.run()\n"})
    finding = check_step("`a.run`", [SourceRef(path="a.py", start_line=1, end_line=1)], files)

    assert (finding.reasons, finding.facts["passing-share"]) == ((Reason.ALL_FOUND,), 0.25)


def test_words_of_a_denied_clause_speak_for_nothing() -> None:
    assert judge("The ledger does not approve, credit the amount.", (22, 24)).reasons == (Reason.NEGATION,)
    both = "A manager approves the refund, and the ledger is credited with the amount. The receipt is not printed."
    assert judge(both, (22, 24)).reasons == (Reason.WORDS_AT_LINES,)
    named = "A manager approves the refund, and the ledger is credited with the amount. `print_receipt` is not called."
    assert judge(named, (22, 24)).reasons == (Reason.NEGATION,)
    assert judge(named, (22, 24)).facts["denies-a-name"] is True


def test_a_short_file_says_nothing_about_words() -> None:
    finding = judge("A parcel is weighed and returned by weight.", (1, 2), path="other.py")

    assert finding.reasons == (Reason.NOTHING_TO_CHECK,)
    assert finding.strength == 0.5


def test_strength_grows_with_what_is_found_and_falls_with_what_is_not() -> None:
    plain = judge("The customer pays.", (6, 6)).strength
    named = judge("The customer pays `price_of`.", (6, 6)).strength
    twice = judge("The customer pays `price_of` and `basket`.", (6, 6)).strength
    lost = judge("The customer pays `gone_missing`.", (6, 6)).strength
    one_of_two = judge("The customer pays `price_of` and `gone_missing`.", (6, 6)).strength
    one_of_three = judge("The customer pays `price_of`, `basket` and `gone_missing`.", (6, 6)).strength

    assert plain == 0.5
    assert named == 0.6
    assert twice == round(8 / 12, 4)
    assert lost == 0.4
    assert one_of_two == 0.5
    assert one_of_three == round(8 / 14, 4)


def test_broken_and_unsupported_have_no_strength() -> None:
    assert judge("`price_of`", (90, 91)).strength == 0.0
    assert check_step("`price_of`", [], FILES).strength == 0.0


def test_each_missing_name_has_its_reason_and_the_first_place_is_the_hint() -> None:
    finding = judge("`cancel`, `weigh`, `nowhere_at_all` and `shred_paper`.", (6, 6))

    assert [(one.name, one.reason, one.where) for one in finding.missing] == [
        ("cancel", Reason.ELSEWHERE_IN_FILE, Place("shop.py", 16)),
        ("weigh", Reason.ELSEWHERE_IN_REPOSITORY, Place("other.py", 1)),
        ("nowhere_at_all", Reason.NOWHERE, None),
        ("shred_paper", Reason.ELSEWHERE_IN_FILE, None),
    ]
    assert finding.hint == Place("shop.py", 16)
    assert finding.reasons == (Reason.ELSEWHERE_IN_FILE, Reason.ELSEWHERE_IN_REPOSITORY, Reason.NOWHERE)
    assert finding.facts["elsewhere-only-as"] == ["shred_paper: comment"]


def test_a_name_with_several_places_has_the_hint_of_its_definition() -> None:
    assert judge("`send_confirmation` runs.", (6, 6)).hint == Place("shop.py", 12)
    assert judge("`total` is computed.", (16, 16)).hint is None


@pytest.mark.parametrize(("wide", "reason"), [(16, Reason.COULD_NOT_FAIL), (28, Reason.COULD_NOT_FAIL)])
def test_a_range_that_most_others_equal_could_not_fail(wide: int, reason: Reason) -> None:
    finding = judge("`self` is used.", (1, wide))

    assert finding.reasons == (reason,)
    assert finding.facts["passing-share"] > 0.4


def test_one_citation_that_could_fail_is_enough() -> None:
    assert judge("`self` is used with `price_of`.", (1, 16), (6, 6)).reasons == (Reason.ALL_FOUND,)


def test_qualifiers_are_looked_for_in_all_citations() -> None:
    assert judge("`voucher.price_of` is asked.", (6, 6), (7, 7)).reasons == (Reason.ALL_FOUND,)
    assert judge("`voucher.price_of` is asked.", (6, 6), (7, 7), (16, 16)).reasons == (Reason.ALL_FOUND,)
    assert judge("`voucher.message.price_of` is asked.", (6, 6), (7, 7), (13, 13)).reasons == (Reason.ALL_FOUND,)
    assert judge("`voucher.price_of` is asked.", (6, 6)).verdict is Verdict.DOUBTFUL


def test_a_file_without_a_grammar_is_said_to_be_one() -> None:
    files = MemorySnapshot({"a.brw": "PROC warm_oven\nEND\nEND\nEND\n"})
    finding = check_step("`warm_oven`", [SourceRef(path="a.brw", start_line=1, end_line=1)], files)

    assert finding.facts["kind-unknown"] is True
    assert "kind-unknown" not in judge("`price_of`", (6, 6)).facts


def test_a_whole_file_is_judged_as_its_whole() -> None:
    finding = check_step("`price_of`", [SourceRef(path="shop.py")], FILES)

    assert finding.reasons == (Reason.COULD_NOT_FAIL,)


def test_a_text_too_long_to_be_a_step_is_not_specific() -> None:
    assert judge("`price_of`" + " " * 19_991, (6, 6)).reasons == (Reason.NOT_SPECIFIC,)
    padded = "`price_of`" + " " * 19_990
    assert judge(padded, (6, 6)).reasons == (Reason.ALL_FOUND,)


def test_two_faults_of_one_citation_give_both_codes() -> None:
    assert judge("`x`", (0, -3)).reasons == (Reason.LINE_BEFORE_FIRST, Reason.RANGE_REVERSED)
    assert judge("`x`", (99, 98)).reasons == (Reason.RANGE_REVERSED, Reason.LINE_PAST_END)


def test_an_index_serves_many_steps() -> None:
    index = FileIndex(FILES)
    ref = SourceRef(path="shop.py", start_line=6, end_line=6)

    assert check_step("`price_of`", [ref], index) == check_step("`price_of`", [ref], FILES)


def test_a_broken_step_says_which_citation_is_false_and_where_the_file_ends() -> None:
    last = len(FILES.read("shop.py").splitlines())  # type: ignore[union-attr]
    for lines, written in (((last + 1, last + 1), last + 1), ((1, last + 1), f"1-{last + 1}")):
        assert judge("`x`", lines).facts == {
            "false": [f"shop.py:{written} line-past-end"],
            "file-ends": [f"shop.py:{last}"],
        }
    refs = [SourceRef(path=path, start_line=1, end_line=999) for path in ("./shop.py", "shop.py", "none.py")]
    assert check_step("`x`", refs, FILES).facts == {
        "false": ["./shop.py:1-999 line-past-end", "none.py:1-999 path-missing", "shop.py:1-999 line-past-end"],
        "file-ends": [f"shop.py:{last}"],
    }
    assert judge("`x`", (0, -1)).facts == {"false": ["shop.py:0--1 line-before-first range-reversed"]}


def test_the_false_citation_that_the_hint_is_for_comes_first() -> None:
    refs = [SourceRef(path=path, start_line=4, end_line=4) for path in ("aa.py", "lib/shop.py", "zz.py")]
    finding = check_step("`x`", refs, FILES)
    assert finding.hint == Place("shop.py", 4)
    assert finding.facts["false"] == ["lib/shop.py:4 path-missing", "aa.py:4 path-missing", "zz.py:4 path-missing"]


def test_of_many_false_citations_the_first_are_named_and_the_rest_counted() -> None:
    refs = [SourceRef(path=f"{number:03}.py", start_line=1, end_line=1) for number in range(100)]
    facts = check_step("`x`", refs, FILES).facts
    assert facts["false"] == [f"{number:03}.py:1 path-missing" for number in range(20)]
    assert facts["false-more"] == 80
    assert "false-more" not in check_step("`x`", refs[:20], FILES).facts


class Partial(MemorySnapshot):
    """A clone that lacks the content of two files."""

    def read_many(
        self, paths: Iterable[str], max_bytes: int | None = None, absent: list[str] | None = None
    ) -> Iterator[tuple[str, bytes]]:
        assert absent is not None
        absent.extend(["far.py", "away.py"])
        yield from super().read_many(paths, max_bytes)


@pytest.mark.parametrize(("name", "lacking"), [("nowhere_at_all", 2), ("cancel", None), ("weigh", None)])
def test_what_is_nowhere_may_be_in_the_files_that_a_partial_clone_lacks(name: str, lacking: int | None) -> None:
    files = Partial({"shop.py": SHOP, "other.py": "def weigh(parcel):\n    return parcel\n"})
    finding = check_step(f"`{name}`", [SourceRef(path="shop.py", start_line=6, end_line=6)], files)

    assert finding.verdict is Verdict.DOUBTFUL
    assert finding.facts.get("not-searched") == lacking


def test_the_line_past_the_end_hints_at_the_name_only() -> None:
    assert judge("`cancel` it", (90, 91)).hint == Place("shop.py", 16)
    assert judge("`total` it", (90, 91)).hint is None
    assert judge("`cancel` it", (91, 90)).hint is None
    assert judge("`cancel` it", (0, 1)).hint is None


def test_one_end_of_a_range_may_be_absent() -> None:
    finding = check_step("`price_of`", [SourceRef(path="shop.py", start_line=6)], FILES)

    assert finding.verdict is Verdict.VALID


def test_a_qualifier_just_outside_the_citations_is_not_in_scope() -> None:
    for lines in ((5, 5), (8, 8)):
        assert judge("`voucher.send_confirmation` is asked.", (9, 9), lines).verdict is (
            Verdict.VALID if lines == (5, 5) else Verdict.DOUBTFUL
        )
    assert judge("`voucher.cancel` is asked.", (16, 16), (8, 8)).verdict is Verdict.DOUBTFUL
    assert judge("`voucher.cancel` is asked.", (16, 16), (7, 8)).verdict is Verdict.VALID
    assert judge("`voucher.cancel` is asked.", (16, 16), (6, 7)).verdict is Verdict.VALID


def test_a_method_belongs_to_its_class_also_when_the_range_leaves_the_class() -> None:
    assert judge("`Order.cancel` withdraws it.", (16, 22)).verdict is Verdict.VALID
    assert judge("`Refund.cancel` withdraws it.", (16, 20)).verdict is Verdict.DOUBTFUL


def test_the_hint_is_that_of_the_first_false_citation() -> None:
    first, second = (
        SourceRef(path="a.py", start_line=1, end_line=1),
        SourceRef(path="Other.py", start_line=2, end_line=2),
    )

    for refs in ([first, second], [second, first]):
        assert check_step("`x`", refs, FILES).hint == Place("other.py", 2)
    assert check_step("`x`", [first], FILES).hint == Place("lib/a.py", 1)


@pytest.mark.parametrize(("first", "second"), [((1, 1), (2, 2)), ((1, 9), (2, 3)), ((9, 9), (10, 10))])
def test_citations_are_taken_by_path_and_line(first: tuple[int, int], second: tuple[int, int]) -> None:
    refs = [SourceRef(path="OTHER.py", start_line=start, end_line=end) for start, end in (second, first)]

    assert check_step("`x`", refs, FILES).hint == Place("other.py", first[0])
