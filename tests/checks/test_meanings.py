"""What code may say for a word of a step, and what a step's words weigh by it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import retrodoc_checks
from retrodoc_checks import Reason, Verdict, check_step
from retrodoc_checks.citations import Cited
from retrodoc_checks.lexicon import FUNCTION_WORDS, Language
from retrodoc_checks.meanings import LONGEST_REST, SHORTEST_BEGINNING, meanings_of
from retrodoc_checks.names import read_step, split_words
from retrodoc_checks.source import SourceFile, bits_of
from retrodoc_checks.stems import stem_of, without_accents
from retrodoc_checks.words import Footing, alike, footing, words_of
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

THESAURUS = (Path(retrodoc_checks.__file__).parent / "thesaurus.txt").read_text("ascii")
LINES = [line for line in THESAURUS.splitlines() if line and not line.startswith("#")]

# word of a step, its language, a word that code may say for it
KNOWN: list[tuple[str, Language, str]] = [
    ("commande", "fr", "order"),
    ("utilisateurs", "fr", "user"),
    ("supprimer", "fr", "delete"),
    ("supprimée", "fr", "remove"),
    ("adresses", "fr", "address"),
    ("panier", "fr", "cart"),
    ("panier", "fr", "basket"),
    ("clé", "fr", "key"),
    ("courriel", "fr", "mail"),
    ("abonné", "fr", "subscription"),
    ("envoyés", "fr", "send"),
    ("vérification", "fr", "check"),
    ("choisit", "fr", "select"),
    ("choisissent", "fr", "select"),
    ("reçoit", "fr", "receive"),
    ("chiffrée", "fr", "encrypt"),
    ("ignorées", "fr", "skip"),
    ("deleted", "en", "remove"),
    ("removal", "en", "destroy"),
    ("stores", "en", "save"),
    ("refuses", "en", "reject"),
    ("allowed", "en", "permission"),
    ("error", "en", "raise"),
    ("authenticates", "en", "login"),
]


@pytest.mark.parametrize(("word", "language", "code"), KNOWN)
def test_a_word_means_what_code_says_for_it(word: str, language: Language, code: str) -> None:
    assert stem_of(code) in meanings_of(stem_of(word), language)


@pytest.mark.parametrize(
    ("word", "language"), [("purchase", "fr"), ("panier", "en"), ("zorglub", "fr"), ("zorglub", "en")]
)
def test_a_word_of_the_other_language_or_of_none_means_nothing_more(word: str, language: Language) -> None:
    assert meanings_of(stem_of(word), language) == ()


def test_a_word_that_begins_another_by_enough_letters_has_its_meanings() -> None:
    assert SHORTEST_BEGINNING == 5
    assert LONGEST_REST == 4
    assert meanings_of("encrypt", "en")
    assert meanings_of("encryptxxxx", "en") == ("encrypt", *meanings_of("encrypt", "en"))
    assert meanings_of("encryptxxxxx", "en") == ()
    assert meanings_of("encry", "en") == ("encrypt", *meanings_of("encrypt", "en"))
    assert meanings_of("encr", "en") == ()


@given(st.text(st.sampled_from("abcdeiorstu"), min_size=1, max_size=9), st.sampled_from(["en", "fr"]))
def test_meanings_are_stems_once_each_and_never_the_word_itself(stem: str, language: Language) -> None:
    found = meanings_of(stem, language)

    assert len(set(found)) == len(found)
    assert stem not in found
    assert set(found) <= {stem_of(word) for line in LINES for word in line.partition(" = ")[0].split()}


def test_the_thesaurus_says_each_thing_once_in_plain_letters() -> None:
    assert len(LINES) == len(set(LINES))
    for line in LINES:
        english, mark, french = line.partition(" = ")
        assert mark
        assert re.fullmatch(r"[a-z0-9 ]+", english + french), line
        assert not FUNCTION_WORDS["en"] & set(english.split()), line
        for words in (english.split(), french.split()):
            assert words, line
            assert len({stem_of(word) for word in words}) == len(words), line


SHOP = """\
class Cart:
    def destroy(self, voucher):
        self.lines.remove(voucher)

    def ship(self, address):
        label = label_of(address)
        parcel.dispatch(label)

""" + "\n".join(f"    def rest_{letter}(self):\n        sleep({letter})\n" for letter in "abcdefghijkl")


def weigh(text: str, start: int, end: int, content: str = SHOP) -> Footing:
    return footing(read_step(text), [Cited(SourceFile("shop.py", content.encode()), start, end)])


def test_a_translated_word_stands_where_its_meaning_does() -> None:
    here = weigh("Le bon est retiré du panier.", 2, 3)
    elsewhere = weigh("Le bon est retiré du panier.", 6, 7)

    assert here.here == ("bon", "retiré", "panier")
    assert here.elsewhere == ()
    assert here.share > 0.5
    assert {"bon", "retiré"} <= set(elsewhere.elsewhere)
    assert elsewhere.share < here.share


def test_a_synonym_stands_for_the_word_and_speaks_against_another_place() -> None:
    assert "deliver" in weigh("Deliver it to the given address.", 6, 7).here
    assert "deliver" in weigh("Deliver it to the given address.", 2, 3).elsewhere
    assert weigh("Zorglub it.", 2, 3).here == weigh("Zorglub it.", 2, 3).elsewhere == ()


def test_a_denied_word_weighs_and_is_listed_nowhere() -> None:
    plain = weigh("A voucher is removed.", 2, 3)
    denied = weigh("A voucher is never removed.", 2, 3)

    assert denied.here == denied.elsewhere == ()
    assert denied.weight_here == plain.weight_here > 0
    assert weigh("A voucher is removed.", 6, 7).weight_elsewhere > 0
    assert weigh("A voucher is never removed.", 6, 7).weight_elsewhere == 0
    assert [word for word in words_of(read_step("It is not sold, and never lost. A sold voucher.")) if word.denied] == [
        ("lost", "lost", True)
    ]


def test_translated_words_make_a_step_valid_and_its_shifted_citation_not() -> None:
    content = (
        SHOP
        + '''
    def refund(self, order, amount):
        """..."""
        payment = order.payment
        if amount > payment.amount:
            raise ValueError("limit")
        customer.notify(payment, amount)
'''
    )
    files = MemorySnapshot({"shop.py": content})
    line = content[: content.index("    def refund")].count("\n") + 1
    text = "Rembourser la commande. Un montant qui dépasse le paiement lève une erreur, puis l'acheteur est prévenu."

    at_lines = check_step(text, [SourceRef(path="shop.py", start_line=line, end_line=line + 5)], files)
    shifted = check_step(text, [SourceRef(path="shop.py", start_line=line - 8, end_line=line - 3)], files)

    assert (at_lines.verdict, at_lines.reasons) == (Verdict.VALID, (Reason.WORDS_AT_LINES,))
    assert shifted.verdict is Verdict.DOUBTFUL


words = st.sampled_from("pay payment payer HTTPServer card_key ürün idx id Id été x1y ordering OrderLine a".split())


@given(st.lists(st.lists(words, max_size=4).map(" ".join), max_size=12), st.lists(words, min_size=1, max_size=3))
def test_words_are_found_on_the_lines_where_a_plain_search_finds_them(lines: list[str], wanted: list[str]) -> None:
    source = SourceFile("a.py", "\n".join(lines).encode())
    stems = tuple(dict.fromkeys(stem_of(word) for token in wanted for word in split_words(without_accents(token))))
    plain = [
        number
        for number, line in enumerate(lines, start=1)
        for token in re.findall(r"[^\W\d_]+", without_accents(line))
        for word in split_words(token)
        if len(word) > 1 and any(alike(stem, stem_of(word)) for stem in stems)
    ]

    assert source.lines_of_words(stems) == bits_of(plain)
    assert source.lines_of_words(stems) == bits_of(plain)
