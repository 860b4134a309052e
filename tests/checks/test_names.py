"""What a step promises, read from its text alone."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from retrodoc_checks.lexicon import language_of
from retrodoc_checks.names import (
    Kind,
    entity_forms,
    glossary_of,
    name_parts,
    number_value,
    plurals,
    read_step,
    split_words,
)

N, T, R, D, E = Kind.NAME, Kind.TEXT, Kind.ROUTE, Kind.NUMBER, Kind.ENTITY

# text -> (kind, written, parts, call) of each promise, in order
PROMISES: dict[str, list[tuple[Kind, str, tuple[str, ...], bool]]] = {
    # backticks: a name when it is one
    "`user`": [(N, "user", ("user",), False)],
    "``user``": [(N, "user", ("user",), False)],
    "` user `": [(N, "user", ("user",), False)],
    "`@login_required`": [(N, "login_required", ("login_required",), False)],
    "`@@count`": [(N, "count", ("count",), False)],
    "`:status`": [(N, ":status", ("status",), False)],
    "`.save`": [(N, ".save", ("save",), False)],
    "`#cancel`": [(N, "#cancel", ("cancel",), False)],
    "`&row`": [(N, "&row", ("row",), False)],
    "`valid?`": [(N, "valid?", ("valid?",), False)],
    "`save!`": [(N, "save!", ("save!",), False)],
    "`new Cart(x)`": [(N, "new Cart(x)", ("Cart",), True)],
    "`ring_bell()`": [(N, "ring_bell()", ("ring_bell",), True)],
    "`ring_bell(`": [(N, "ring_bell(", ("ring_bell",), True)],
    "`f(g(x), y)`": [(N, "f(g(x), y)", ("f",), True)],
    "`a().b(c)`": [(N, "a().b(c)", ("a", "b"), True)],
    "`self.basket.lines`": [(N, "self.basket.lines", ("basket", "lines"), False)],
    "`this.total`": [(N, "this.total", ("total",), False)],
    "`A::b`": [(N, "A::b", ("A", "b"), False)],
    "`A#b`": [(N, "A#b", ("A", "b"), False)],
    "`A->b`": [(N, "A->b", ("A", "b"), False)],
    "`$cart->total`": [(N, "$cart->total", ("$cart", "total"), False)],
    "`Setting.limit?`": [(N, "Setting.limit?", ("Setting", "limit?"), False)],
    "`::Cart`": [(N, "::Cart", ("Cart",), False)],
    "`a(b(c(d())))`": [(N, "a(b(c(d())))", ("a",), True)],
    "`a(b(c(d(e()))))`": [(T, "a(b(c(d(e()))))", ("a(b(c(d(e()))))",), False)],
    "`request.json()`": [(N, "request.json()", ("request", "json"), True)],
    # backticks: a text when it is none
    "`True`": [(T, "True", ("True",), False)],
    "`nil`": [(T, "nil", ("nil",), False)],
    "`GET`": [(T, "GET", ("GET",), False)],
    "`x > 0`": [(T, "x > 0", ("x > 0",), False)],
    "`403`": [(T, "403", ("403",), False)],
    "`SHOP_TOKEN`": [(T, "SHOP_TOKEN", ("SHOP_TOKEN",), False)],
    "`--dry-run`": [(T, "--dry-run", ("--dry-run",), False)],
    "`-v`": [(T, "-v", ("-v",), False)],
    "`settings.py`": [(T, "settings.py", ("settings.py",), False)],
    "`A::b.rb`": [(N, "A::b.rb", ("A", "b", "rb"), False)],
    "`A#b.rb`": [(N, "A#b.rb", ("A", "b", "rb"), False)],
    "`a->b.js`": [(N, "a->b.js", ("a", "b", "js"), False)],
    "`a.b.py`": [(N, "a.b.py", ("a", "b", "py"), False)],
    "`x = y`": [(T, "x = y", ("x = y",), False)],
    "`name=`": [(T, "name=", ("name=",), False)],
    "`params[:id]`": [(T, "params[:id]", ("params[:id]",), False)],
    # routes
    "`/bookmarks/<id>`": [(R, "/bookmarks/<id>", ("", "/bookmarks/<id>"), False)],
    "`POST /api/orders`": [(R, "POST /api/orders", ("POST", "/api/orders"), False)],
    "`post /api/orders`": [(R, "post /api/orders", ("POST", "/api/orders"), False)],
    "`read /etc`": [(T, "read /etc", ("read /etc",), False)],
    "`/`": [(T, "/", ("/",), False)],
    "The page at /bookmarks/{id}.": [(R, "/bookmarks/{id}", ("", "/bookmarks/{id}"), False)],
    "Uses PUT /api/x, then stops": [(R, "PUT /api/x", ("PUT", "/api/x"), False)],
    "and/or not a route, nor http://host/path": [],
    # quotes
    'shows "Order sent." now': [(T, "Order sent", ("Order sent",), False)],
    "shows « Commande partie » ici": [(T, "Commande partie", ("Commande partie",), False)],
    "shows “Order sent” now": [(T, "Order sent", ("Order sent",), False)],
    "shows 'Order sent' now": [(T, "Order sent", ("Order sent",), False)],
    "l'heure et l'adresse d'envoi": [],
    'writes "in `a`" or "b c"': [(N, "a", ("a",), False), (T, "b c", ("b c",), False)],
    'an empty "" and a mark "?"': [],
    # bare names
    "calls run_forever now": [(N, "run_forever", ("run_forever",), False)],
    "calls _hidden now": [],
    "the SHOP_TOKEN is read": [(T, "SHOP_TOKEN", ("SHOP_TOKEN",), False)],
    "calls check(badge) now": [(N, "check(badge)", ("check",), True)],
    "calls check(5) now": [(N, "check(5)", ("check",), True), (D, "5", ("5",), False)],
    "calls check( now": [(N, "check(", ("check",), True)],
    "the item(s), client(e)s and produit(s)": [],
    "with Cart.total and Cart::empty": [
        (N, "Cart.total", ("Cart", "total"), False),
        (N, "Cart::empty", ("Cart", "empty"), False),
    ],
    "e.g. Node.js, i.e. example.com and ASP.NET": [],
    "the page needs Vue.router.js to run": [],
    "see www.shop.com and shop.com, and call x.save": [],
    "written in models.py and app/main.rb": [
        (T, "models.py", ("models.py",), False),
        (T, "app/main.rb", ("app/main.rb",), False),
    ],
    "with --dry-run and a well-known word": [(T, "--dry-run", ("--dry-run",), False)],
    "write to a@example.com or user@host_name": [],
    # numbers
    "at most 100 rows": [(D, "100", ("100",), False)],
    "at least 1 and 2.50 euros": [(D, "1", ("1",), False), (D, "2.50", ("2.5",), False)],
    "1,000 rows or 1_000 rows": [(D, "1,000", ("1000",), False)],
    "1 000 lignes": [(D, "1 000", ("1000",), False)],
    "3,5 heures": [(D, "3,5", ("3.5",), False)],
    "seven fields": [(D, "seven", ("7",), False)],
    "five children and seven children": [(D, "five", ("5",), False), (D, "seven", ("7",), False)],
    "Seven fields": [(D, "Seven", ("7",), False)],
    "Seven fields are read.": [(D, "Seven", ("7",), False)],
    "run_now and check_in and /rooms/{2} have 3 rows": [
        (N, "run_now", ("run_now",), False),
        (N, "check_in", ("check_in",), False),
        (R, "/rooms/{2}", ("", "/rooms/{2}"), False),
        (D, "3", ("3",), False),
    ],
    "run_now and /rooms/{2}": [
        (N, "run_now", ("run_now",), False),
        (R, "/rooms/{2}", ("", "/rooms/{2}"), False),
    ],
    "two of the fields": [],
    "seven, fields": [],
    "seven\nfields": [],
    "the two": [],
    "one row and one-two punches": [],
    "step-2 and v2 and utf-8 and 3rd": [],
    "les trois statuts de la commande": [(D, "trois", ("3",), False)],
    "un compte neuf est fait pour le client": [],
    "un compte neuf attend": [],
    "les neuf champs du client": [(D, "neuf", ("9",), False)],
    "le four deux est dans la cuisine": [],
    "le client a six champs": [(D, "six", ("6",), False)],
    "two hundred rows": [(D, "hundred", ("100",), False)],
}


@pytest.mark.parametrize("text", PROMISES)
def test_what_a_text_promises(text: str) -> None:
    found = [(one.kind, one.written, one.parts, one.call) for one in read_step(text).promises]

    assert found == PROMISES[text]


WEAK = {
    "HTTPServer reports the IOError": ("HTTPServer", "IOError"),
    "checkBadge is bare": ("checkBadge",),
    "GitHub and JavaScript are products": (),
    "PDFs, URLs and the PAGE are prose": (),
    "A Word in capitals": (),
    "`HTTPServer` is strong": (),
    "ShopBasket and ShopBasket": ("ShopBasket",),
}


@pytest.mark.parametrize("text", WEAK)
def test_bare_camel_case_is_weak(text: str) -> None:
    assert read_step(text).weak == WEAK[text]


DENIED = {
    "It does not call `a`.": (["a"], []),
    "It never calls `a`, and calls `b`.": (["a"], ["b"]),
    "It can't call `a`.": (["a"], []),
    "It cannot call `a`.": (["a"], []),
    "No `a` is called.": (["a"], []),
    "`a` is called without `b`.": (["b"], ["a"]),
    "If it is not set, `a` is called.": ([], ["a"]),
    "`a` is called if `b` is not set.": ([], ["a", "b"]),
    "`a` is called when `b` is not set and `c` neither, then never `d`.": (["d"], ["a", "b", "c"]),
    "Not only `a` is called.": ([], ["a"]),
    "No more than 5 `a` are called.": ([], ["5", "a"]),
    "The `not_found` page": ([], ["not_found"]),
    'The "not found" page': ([], ["not found"]),
    "Il n'appelle pas `a`.": (["a"], []),
    "Il n'appelle plus `a`.": (["a"], []),
    "Il appelle `a` sans `b`.": (["b"], ["a"]),
    "Il appelle `a` sans aucun `b`.": (["b"], ["a"]),
    "It is not done (`a` is).": ([], ["a"]),
    "Si rien n'est choisi, `a` est appelé.": ([], ["a"]),
    "`a` est appelé s'il n'y a pas de `b`.": ([], ["a", "b"]),
    "Aucun `a` n'est appelé.": (["a"], []),
    "Notifie `a`.": ([], ["a"]),
    "It rejects `a`.": ([], ["a"]),
    "`a` is not called; `a` is called.": ([], ["a"]),
}


@pytest.mark.parametrize("text", DENIED)
def test_what_stands_in_a_denied_clause_is_no_promise(text: str) -> None:
    reading = read_step(text)

    assert ([one.written for one in reading.denied], [one.written for one in reading.promises]) == DENIED[text]


CLAUSES: dict[str, list[tuple[str, bool, bool]]] = {
    # (text, denied, conditional) of each
    "It pays, it calls it without thanks.": [
        ("It pays,", False, False),
        ("it calls it", False, False),
        ("without thanks.", True, False),
    ],
    "If the bank answers, it pays.": [("If the bank answers,", False, True), ("it pays.", False, False)],
    "The desk opens. The guest pays if the bank answers and the desk is open, then leaves.": [
        ("The desk opens.", False, False),
        ("The guest pays", False, False),
        ("if the bank answers", False, True),
        ("and the desk is open,", False, True),
        ("then leaves.", False, False),
    ],
}


@pytest.mark.parametrize("text", CLAUSES)
def test_a_text_is_cut_where_it_starts_to_say_another_thing(text: str) -> None:
    reading = read_step(text)

    found = [(text[one.start : one.end].strip(), one.denied, one.conditional) for one in reading.clauses]
    assert [one for one in found if one[0]] == CLAUSES[text]


@pytest.mark.parametrize("before", ["", "Later, it ", "A guest arrives at the desk, and it "])
@pytest.mark.parametrize(("inside", "whole"), [("", True), ("x" * 79, True), ("x" * 80, False), ("a\nb", False)])
def test_a_bare_call_is_shown_whole_when_it_ends_near_on_its_line(before: str, inside: str, whole: bool) -> None:
    (call,) = (one for one in read_step(f"{before}check({inside}) now").promises if one.call)

    assert call.written == (f"check({inside})" if whole else "check(")


def test_a_promise_is_made_once_and_knows_its_clause() -> None:
    reading = read_step("`a` pays, and `a` leaves with `b`.")

    assert [(one.written, one.clause) for one in reading.promises] == [("a", 0), ("b", 1)]
    assert [reading.text[one.start : one.end].strip() for one in reading.clauses][:2] == [
        "\0\0\0 pays,",
        "and \0\0\0 leaves with \0\0\0.",
    ]


def test_the_same_name_with_and_without_a_call_is_two_promises() -> None:
    assert len(read_step("`a` and `a()` and `a()`").promises) == 2


def test_what_is_quoted_is_kept_with_its_place() -> None:
    assert read_step('see `a` and "b c"').quoted == ((4, "a"), (12, "b c"))


ENTITIES = ("ShoppingBasket", "Bookmark", "Category", "HTTPLog", "HTTPLogLine", "?")
NAMED = {
    "A shopping basket": ["ShoppingBasket"],
    "Shopping Baskets": ["ShoppingBasket"],
    "the shoppingbasket": ["ShoppingBasket"],
    "ShoppingBasket is made": ["ShoppingBasket"],
    "the basket": [],
    "BOOKMARKS": ["Bookmark"],
    "a bookmarking site": [],
    "categories and category": ["Category"],
    "the http log": ["HTTPLog"],
    "the http log line": ["HTTPLogLine"],
    "the shopping cart": [],
    "Bookmark.save is called": [],
    "?!": [],
    "`Bookmark` in backticks": [],
    "a shopping basket and a bookmark": ["ShoppingBasket", "Bookmark"],
}


@pytest.mark.parametrize("text", NAMED)
def test_an_entity_is_promised_in_any_of_its_forms(text: str) -> None:
    found = [one.written for one in read_step(text, ENTITIES).promises if one.kind is E]

    assert found == NAMED[text]


def test_a_name_of_the_glossary_is_not_weak() -> None:
    reading = read_step("ShoppingBasket and OtherThing", frozenset(ENTITIES))

    assert reading.weak == ("OtherThing",)


def test_code_names_an_entity_by_its_class_or_its_variable() -> None:
    forms = entity_forms("ShoppingBox")

    assert {"ShoppingBox", "ShoppingBoxes", "shopping_box", "shopping_boxes", "shoppingBox"} <= set(forms)
    assert "shoppingbox" not in forms
    assert entity_forms("Shopping box")[0] == "ShoppingBox"
    assert entity_forms("?") == ("?",)
    assert entity_forms("city")[-1] == "cities"


def test_sub_words_and_plurals() -> None:
    assert split_words("HTTPServer_errorLog2") == ("http", "server", "error", "log", "2")
    assert split_words("parseURL") == ("parse", "url")
    assert plurals("day") == ("day", "days", "dayes", "dayx", "daies")
    assert plurals("box") == ("box", "boxs", "boxes", "boxx")


def test_qualified_names_are_cut_at_every_separator() -> None:
    assert name_parts("self.a.b") == ("a", "b")
    assert name_parts("cls->a") == ("a",)
    assert name_parts("A::B#c") == ("A", "B", "c")
    assert name_parts("selfish.a") == ("selfish", "a")
    assert name_parts("itself.a") == ("itself", "a")
    assert name_parts("a.self.b") == ("a", "self", "b")
    assert name_parts("a..b") == ("a..b",)


def test_numbers_are_compared_by_value() -> None:
    values = {"1,000": "1000", "1_000": "1000", "1 000": "1000", "007": "7", "0": "0", "2.50": "2.5", "2.0": "2"}

    assert {written: number_value(written) for written in values} == values
    assert number_value("1,5") == "1.5"
    assert number_value("1,2345") == "1.2345"
    assert number_value("1.2.30") == "1.2.30"
    assert number_value("100,000") == "100000"
    assert number_value("1,234,567") == "1234567"
    assert number_value("1234,567") == "1234.567"


def test_the_language_is_that_of_most_function_words() -> None:
    assert language_of("The guest pays for the room.") == "en"
    assert language_of("Le client paie pour la chambre.") == "fr"
    assert language_of("xyz") == "en"
    assert language_of("Le client pays for it.") == "en"


def test_a_condition_late_in_the_text_leaves_what_is_before_it_denied() -> None:
    reading = read_step("The guest pays with `card`. The desk does not call `bank` if `limit` is low.")

    assert [one.written for one in reading.denied] == ["bank"]
    assert [(reading.text[one.start : one.end].strip("\0 ."), one.denied, one.conditional) for one in reading.clauses][
        :3
    ] == [
        ("The guest pays with", False, False),
        ("The desk does not call", True, False),
        ("if \0\0\0\0\0\0\0 is low", False, True),
    ]


def test_a_separator_other_than_a_dot_is_never_prose() -> None:
    assert [one.parts for one in read_step("see a::b and x#y and p->q").promises] == [
        ("a", "b"),
        ("x", "y"),
        ("p", "q"),
    ]


def test_what_was_read_is_frozen() -> None:
    reading = read_step("`a` pays.")

    for one in (reading, reading.promises[0], reading.clauses[0], glossary_of(ENTITIES)):
        with pytest.raises(FrozenInstanceError):
            setattr(one, next(iter(one.__slots__)), None)
