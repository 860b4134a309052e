"""An answer in another language than was asked for is seen; a short or a mixed one is given the benefit."""

from __future__ import annotations

import pytest

from retrodoc.llm.language import wrong_language

ENGLISH = (
    "The waiter opens the table and adds a dish to the order. The kitchen is told that the order is ready to be "
    "prepared, and the bill is split by the guests when they ask for it at the end."
)
FRENCH = (
    "Le serveur ouvre la table et ajoute un plat à la commande. La cuisine est prévenue que la commande est prête, "
    "et l'addition est partagée par les clients qui la demandent dans la salle à la fin du service."
)
GERMAN = (
    "Der Kellner öffnet den Tisch und fügt der Bestellung ein Gericht hinzu. Die Küche wird informiert, dass die "
    "Bestellung nicht mit dem Rest auf die Rechnung kommt und von den Gästen geteilt wird, die das wollen."
)
CHINESE = "服务员打开桌子并将一道菜添加到订单中。 " * 12 + "the order of it is in the list"


@pytest.mark.parametrize(
    ("text", "expected", "wrong"),
    [
        (ENGLISH, "en", False),
        (FRENCH, "fr", False),
        (GERMAN, "de", False),
        (FRENCH, "en", True),
        (ENGLISH, "fr", True),
        (GERMAN, "en", True),
        (" ".join(CHINESE), "en", True),
        ("Le serveur ouvre la table.", "en", False),
        (ENGLISH + " " + FRENCH, "en", False),
        (ENGLISH + " `le la les des et est une du que qui dans pour par sur avec aux` " * 3, "en", False),
        (FRENCH, "ja", False),
        (FRENCH, "fr-CA", False),
        (FRENCH, "pt-BR", True),
        ("", "en", False),
    ],
)
def test_the_language_of_an_answer(text: str, expected: str, wrong: bool) -> None:
    assert (wrong_language(text, expected) is not None) is wrong


def test_the_reason_names_both_languages() -> None:
    assert wrong_language(FRENCH, "en") == "the text is in 'fr'; it must be in 'en'"
