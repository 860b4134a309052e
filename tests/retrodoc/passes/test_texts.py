"""A call is taken for the look-up of a text by where its name comes from, and told where that is somewhere else."""

from __future__ import annotations

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.passes.flow import Flow
from retrodoc.passes.symbols import SymbolIndex

FILES = {
    "py_texts.py": """
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from shop.i18n import translate


def handled(order):
    _("Order")
    ngettext("one", "many", 2)
    translate("Order")
    gettext_lazy("Order")
    unknown_texts.t("Order")
    settle(order)
""",
    "py_others.py": """
from shop.geometry import translate
import deepl


def localize(order):
    return order


def handled(order):
    translate(order, 1, 2)
    localize(order)
    order.outline.translate(3, 4)
    deepl.translate("x")


class Drawing:
    def translate(self, x):
        return x

    def placed(self):
        self.translate(4)
""",
    "py_unknown.py": """
from shop.everything import *


def handled(order):
    translate(order)
    _(order)
    settle(order)
""",
    "texts.rb": """
class OrdersController
  def handled
    t(:order)
    translate(:order)
    I18n.translate(:order)
    l(Date.today)
    @order.localize
    settle(@order)
  end
end
""",
    "texts.ts": """
import { useTranslation } from 'react-i18next';
import { translate as moved } from './geometry';
import { translate } from './geometry';
import i18next from 'i18next';

export function handled(shape) {
  const { t } = useTranslation();
  t('order');
  i18next.translate('order');
  translate(shape, 1);
  shape.translate(2, 3);
  settle(shape);
}

export class Texts {
  constructor(private readonly translation, private readonly shapes) {}
  placed() {
    this.translation.translate('order');
    this.shapes.translate(1);
  }
}
""",
}


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("py_texts.py", "handled", ["settle"]),
        ("py_others.py", "handled", ["translate", "localize", "outline.translate", "deepl.translate"]),
        ("py_others.py", "placed", ["translate"]),
        ("py_unknown.py", "handled", ["settle"]),
        ("texts.rb", "handled", ["settle"]),
        ("texts.ts", "handled", ["useTranslation", "translate", "shape.translate", "settle"]),
        ("texts.ts", "placed", ["shapes.translate"]),
    ],
)
def test_which_calls_are_told(path: str, name: str, told: list[str]) -> None:
    index = SymbolIndex(Sources.from_mapping(FILES))
    symbol = next(symbol for symbol in index.named(name) if symbol.path == path)
    acts = Flow(index.sources).acts(symbol)
    assert [f"{act.on}.{act.name}" if act.on else act.name for act in acts] == told
