"""A call is followed by name where one answer is left, and not where an import, a base or a receiver says otherwise."""

from __future__ import annotations

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.passes.symbols import SymbolIndex

FILES = {
    "shop/basket.py": """
class AbstractBasket:
    def add_product(self, product):
        self.check_stock(product)
        return self.lines.create(product)

    def check_stock(self, product):
        return product


class Basket(AbstractBasket):
    def merge_with(self, other):
        return self.add_product(other)
""",
    "shop/views.py": """
from django.views import generic
from shop import pricing
from shop.pricing import total_of
from elsewhere import archive_basket


class DetailView:
    def get_object(self):
        return 1


class BasketView(generic.DetailView):
    def post(self, request):
        basket.add_product(1)
        form.is_valid()
        pricing.discount_of(1)
        total_of(2)
        archive_basket(3)
        self.get_object()
        unknown.add_product(4)
""",
    "shop/pricing.py": "def discount_of(x):\n    return x\n\n\ndef total_of(x):\n    return x\n",
    "shop/archive.py": "def archive_basket(x):\n    return x\n",
    "app/hats_controller.rb": """
class HatsController
  def new
    render :new
  end

  def create
    Hat.new
    Hat.price_of(1)
    hats.price_of(2)
  end
end
""",
    "app/hat.rb": "class Hat\n  def size\n  end\nend\n",
    "lib/hat.rb": "class Shop::Hat\n  def self.price_of(x)\n    x\n  end\nend\n",
    "shop/wizard.py": "class Wizard:\n    def is_valid(self):\n        return True\n",
}


@pytest.fixture(scope="module")
def index() -> SymbolIndex:
    return SymbolIndex(Sources.from_mapping(FILES))


@pytest.mark.parametrize(
    ("method", "called", "receiver", "place"),
    [
        ("post", "add_product", "basket", "shop/basket.py:AbstractBasket.add_product"),
        ("post", "add_product", "unknown", None),
        ("post", "is_valid", "form", None),
        ("post", "discount_of", "pricing", "shop/pricing.py:discount_of"),
        ("post", "total_of", "", "shop/pricing.py:total_of"),
        ("post", "archive_basket", "", None),
        ("post", "get_object", "self", None),
        ("merge_with", "add_product", "self", "shop/basket.py:AbstractBasket.add_product"),
        ("add_product", "check_stock", "self", "shop/basket.py:AbstractBasket.check_stock"),
        ("create", "new", "Hat", None),
        ("create", "price_of", "Hat", "lib/hat.rb:Shop.Hat.price_of"),
        ("create", "price_of", "hats", "lib/hat.rb:Shop.Hat.price_of"),
    ],
)
def test_what_a_call_means(index: SymbolIndex, method: str, called: str, receiver: str, place: str | None) -> None:
    caller = next(symbol for symbol in index.named(method))
    calls = index.sources.syntax(caller.path).calls
    call = next(call for call in calls if call.name == called and call.receiver == receiver)
    found = index.resolve(call, caller.path, caller)
    assert (f"{found.path}:{found.definition.qualified_name}" if found else None) == place


def test_lines_that_are_no_definition_are_taken_as_they_are() -> None:
    source = (
        "const api = {\n  browse: {\n    query() { list(); },\n  },\n  edit: {\n    query() { save(); },\n  },\n};\n"
    )
    index = SymbolIndex(Sources.from_mapping({"api.js": source}))
    found = index.at("api.js", 5, 7, "edit")
    assert found is not None
    d = found.definition
    assert (d.name, d.start_line, d.end_line) == ("edit", 5, 7)
    assert source.encode()[d.start_byte : d.end_byte].decode() == "  edit: {\n    query() { save(); },\n  },"
