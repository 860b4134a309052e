"""Django's URL configuration is read without running it: whole routes, the view behind each, the verbs that code fixes."""

# ruff: noqa: E501 - a case is one line of a table, however long

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.django import hooks
from retrodoc.surface.django.routers import plain_route
from retrodoc.surface.frameworks.django_urls import entry_points
from retrodoc.surface.python.evaluate import NOT_HANDLED
from retrodoc_runs.models import EntryPoint

SETTINGS = {"site/settings.py": "ROOT_URLCONF = 'site.urls'\n", "site/__init__.py": ""}
VIEWS = """
from django.views import View
def index(request): ...
def show(request, pk): ...
class Edit(View):
    def get(self, request): ...
"""


def found_in(files: dict[str, str]) -> list[EntryPoint]:
    return list(
        entry_points(Sources.from_mapping({**SETTINGS, "shop/__init__.py": "", "shop/views.py": VIEWS, **files}))
    )


def listed(found: list[EntryPoint]) -> list[str]:
    return [f"{each.method or 'ANY'} {each.path} {each.name} {each.handler.symbol}" for each in found]


def urls(body: str) -> dict[str, str]:
    head = (
        "from django.urls import include, path, re_path\nfrom django.conf import settings\n"
        "from django.apps import apps\nfrom shop import views\nfrom shop.views import Edit\n"
    )
    return {"site/urls.py": head + body}


FORMS = [
    ("urlpatterns = [path('a/', views.index, name='a')]", ["ANY a/ a shop.views.index"]),
    ("urlpatterns = [re_path(r'^a/(?P<pk>\\d+)/$', views.show)]", ["ANY ^a/(?P<pk>\\d+)/$ None shop.views.show"]),
    ("urlpatterns = [path('a/', Edit.as_view(template='x'), name='e')]", ["ANY a/ e shop.views.Edit"]),
    ("urlpatterns = [path('a/', 'shop.views.index')]", ["ANY a/ None shop.views.index"]),
    ("urlpatterns = [path('a/', view=views.index, name='k')]", ["ANY a/ k shop.views.index"]),
    ("urlpatterns = [path('a/', login_required(Edit.as_view()))]", ["ANY a/ None shop.views.Edit"]),
    ("urlpatterns = [path('a/', cache_page(60)(views.index))]", ["ANY a/ None shop.views.index"]),
    ("from x.views import cached, sitemap\nurlpatterns = [path('a/', cached(60)(sitemap))]", ["ANY a/ None x.views.sitemap"]),
    ("from functools import partial\nurlpatterns = [path('a/', partial(views.index, x=1))]", ["ANY a/ None shop.views.index"]),
    ("urlpatterns = [path('a/', lambda request: None)]", ["ANY a/ None site.urls.<lambda>"]),
    ("urlpatterns = [path('x/', include([path('a/', views.index)]))]", ["ANY x/a/ None shop.views.index"]),
    ("urlpatterns = [path('x/', include(([path('a/', views.index)], 'app'), namespace='n'))]", ["ANY x/a/ None shop.views.index"]),
    ("urlpatterns = [path('x/<int:pk>/', include('shop.urls'))]", ["ANY x/<int:pk>/inner/ inner shop.views.index"]),
    ("from shop import urls as more\nurlpatterns = [path('x/', include(more))]", ["ANY x/inner/ inner shop.views.index"]),
    ("from shop.urls import urlpatterns as more\nurlpatterns = [path('x/', include(more))]", ["ANY x/inner/ inner shop.views.index"]),
    ("from shop.urls import *\nurlpatterns += [path('b/', views.show)]", ["ANY inner/ inner shop.views.index", "ANY b/ None shop.views.show"]),
    ("urlpatterns = [path('a/', views.index)] + [path('b/', views.show)]", ["ANY a/ None shop.views.index", "ANY b/ None shop.views.show"]),
    ("urlpatterns = []\nurlpatterns.append(path('a/', views.index))", ["ANY a/ None shop.views.index"]),
    ("urlpatterns = []\nurlpatterns.extend([path('a/', views.index)])", ["ANY a/ None shop.views.index"]),
    ("urlpatterns = [*[path('a/', views.index)]]", ["ANY a/ None shop.views.index"]),
    ("urlpatterns = []\nif settings.DEBUG:\n    urlpatterns += [path('a/', views.index)]", ["ANY a/ None shop.views.index"]),
    ("urlpatterns = [path('b/', views.show)]\nif False:\n    urlpatterns += [path('a/', views.index)]", ["ANY b/ None shop.views.show"]),
    ("urlpatterns = [path(f'{name}/', views.index) for name in ('a', 'b')]", ["ANY a/ None shop.views.index", "ANY b/ None shop.views.index"]),
    ("urlpatterns = []\nfor name in ['a', 'b']:\n    urlpatterns.append(path('%s/' % name, views.index))", ["ANY a/ None shop.views.index", "ANY b/ None shop.views.index"]),
    ("P = 'x/'\nurlpatterns = [path(P + 'a/', views.index)]", ["ANY x/a/ None shop.views.index"]),
    ("urlpatterns = [path(settings.ADMIN_URL, views.index)]", ["ANY {settings.ADMIN_URL} None shop.views.index"]),
    ("urlpatterns = decorate([path('a/', views.index)])", ["ANY a/ None shop.views.index"]),
    ("def build(prefix):\n    return [path(prefix + '/a/', views.index)]\nurlpatterns = build('x')", ["ANY x/a/ None shop.views.index"]),
    ("from django.conf.urls.i18n import i18n_patterns\nurlpatterns = i18n_patterns(path('a/', views.index))", ["ANY en-us/a/ None shop.views.index"]),
    ("from django.conf.urls.i18n import i18n_patterns\nurlpatterns = i18n_patterns(path('a/', views.index), prefix_default_language=False)", ["ANY a/ None shop.views.index"]),
    ("from django.conf.urls.static import static\nurlpatterns = static('/media/') + [path('a/', views.index)]", ["ANY a/ None shop.views.index"]),
    ("from django.contrib import admin\nurlpatterns = [path('admin/', admin.site.urls)]", ["ANY admin/ None django.contrib.admin.site.urls"]),
    ("urlpatterns = [path('i/', include('django.conf.urls.i18n'))]", ["ANY i/setlang/ set_language django.views.i18n.set_language"]),
    ("from django.views.generic import RedirectView\nurlpatterns = [path('', RedirectView.as_view(url='/a'))]", ["ANY  None django.views.generic.base.RedirectView"]),
    ("from django.conf.urls import patterns, url\nurlpatterns = patterns('shop.views', url(r'^a/$', 'index'), (r'^b/$', 'show'))", ["ANY ^a/$ None shop.views.index", "ANY ^b/$ None shop.views.show"]),
    ("from django.urls import URLPattern\nfrom django.urls.resolvers import RegexPattern\nurlpatterns = [URLPattern(RegexPattern('^a$', name='a'), views.index, {}, 'a')]", ["ANY ^a$ a shop.views.index"]),
    ("urlpatterns = [path('a/', unknown), path('b/', views.show)]", ["ANY b/ None shop.views.show"]),
    ("urlpatterns = [path(compute(), views.index), path('b/', views.show)]", ["ANY b/ None shop.views.show"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), FORMS)
def test_a_form_of_urlpatterns_gives_these_routes(body: str, expected: list[str]) -> None:
    inner = (
        "from django.urls import path\nfrom . import views\nurlpatterns = [path('inner/', views.index, name='inner')]\n"
    )
    assert listed(found_in({**urls(body), "shop/urls.py": inner})) == expected


def test_a_view_is_cited_at_its_lines_decorators_included() -> None:
    files = {
        **urls("urlpatterns = [path('a/', views.buy)]\n"),
        "shop/views.py": "from x import login_required\n\n\n@login_required\ndef buy(request):\n    return 1\n",
    }
    (entry,) = found_in(files)
    assert (entry.handler.path, entry.handler.start_line, entry.handler.end_line) == ("shop/views.py", 4, 6)
    assert entry.declared is not None
    assert (entry.declared.path, entry.declared.start_line) == ("site/urls.py", 6)


def test_a_view_of_another_package_has_its_dotted_name_and_no_place() -> None:
    body = "from django.contrib.auth import views as auth\nurlpatterns = [path('in/', auth.LoginView.as_view())]\n"
    (entry,) = found_in(urls(body))
    assert entry.handler.model_dump() == {
        "symbol": "django.contrib.auth.views.LoginView",
        "path": None,
        "start_line": None,
        "end_line": None,
    }


VERBS = [
    ("from django.views.decorators.http import require_POST\n@require_POST\ndef v(r): ...", "v", ["POST"]),
    ("@require_http_methods(['GET', 'PUT'])\ndef v(r): ...", "v", ["GET", "PUT"]),
    ("from rest_framework.decorators import api_view\n@api_view(['GET', 'POST'])\ndef v(r): ...", "v", ["GET", "POST"]),
    ("from rest_framework.decorators import api_view\n@api_view()\ndef v(r): ...", "v", ["GET"]),
    ("def v(r): ...", "v", [None]),
    ("from django.views import View\nclass V(View):\n    def get(self, r): ...", "V.as_view()", [None]),
    ("from rest_framework.views import APIView\nclass V(APIView):\n    def put(self, r): ...", "V.as_view()", ["PUT"]),
    ("from rest_framework import generics\nclass V(generics.ListCreateAPIView): ...", "V.as_view()", ["GET", "POST"]),
    ("from rest_framework import generics\nclass V(generics.UpdateAPIView):\n    http_method_names = ['put']", "V.as_view()", ["PUT"]),
    ("from rest_framework.viewsets import ViewSet\nclass V(ViewSet):\n    def list(self, r): ...", "V.as_view({'get': 'list'})", ["GET"]),
]  # fmt: skip


@pytest.mark.parametrize(("view", "used", "verbs"), VERBS)
def test_a_verb_is_told_only_where_the_code_fixes_it(view: str, used: str, verbs: list[str | None]) -> None:
    files = {
        "site/urls.py": f"from django.urls import path\nfrom shop.v import *\nurlpatterns = [path('a/', {used})]\n"
    }
    assert [entry.method for entry in found_in({**files, "shop/v.py": view})] == verbs


ROUTERS = [
    ("", "router.register('things', Things)", [
        "GET things/ thing-list", "POST things/ thing-list", "GET things/<pk>/ thing-detail",
        "PUT things/<pk>/ thing-detail", "PATCH things/<pk>/ thing-detail", "DELETE things/<pk>/ thing-detail",
        "ANY  api-root",
    ]),
    ("", "router.register('things', ReadOnly, basename='t')", ["GET things/ t-list", "GET things/<slug>/ t-detail", "ANY  api-root"]),
    ("router = SimpleRouter(trailing_slash=False)", "router.register('x', Mixed)", ["POST x None"]),
    ("router = SimpleRouter()", "router.register('x', Actions, 'x')", [
        "GET x/ x-list", "POST x/report/ x-report", "GET x/<pk>/set/ x-do-it", "DELETE x/<pk>/set/ x-do-it",
    ]),
    ("router = SimpleRouter()", "router.register(r'(?P<org>[^/]+)/x', Mixed)", ["POST <org>/x/ None"]),
    ("router = SimpleRouter(use_regex_path=False)", "router.register('x', ReadOnly, 'x')", ["GET x/ x-list", "GET x/<str:slug>/ x-detail"]),
    ("router = NestedSimpleRouter(SimpleRouter(), 'shops', lookup='shop')", "router.register('x', Mixed)", ["POST shops/<shop_pk>/x/ None"]),
]  # fmt: skip
VIEWSETS = """
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from shop.models import Thing
class Things(viewsets.ModelViewSet):
    queryset = Thing.objects.all()
class ReadOnly(viewsets.ReadOnlyModelViewSet):
    lookup_field = 'slug'
class Base(mixins.CreateModelMixin): ...
class Mixed(Base, viewsets.GenericViewSet): ...
class Actions(viewsets.ViewSet):
    def list(self, request): ...
    @action(detail=False, methods=['post'])
    def report(self, request): ...
    @action(detail=True, url_path='set', url_name='do-it')
    def do_it(self, request, pk): ...
    @do_it.mapping.delete
    def undo(self, request, pk): ...
"""


@pytest.mark.parametrize(("router", "registered", "expected"), ROUTERS)
def test_a_router_answers_what_its_viewsets_can(router: str, registered: str, expected: list[str]) -> None:
    body = (
        "from django.urls import include, path\nfrom rest_framework.routers import DefaultRouter, SimpleRouter\n"
        "from rest_framework_nested.routers import NestedSimpleRouter\nfrom shop.viewsets import *\n"
        f"router = DefaultRouter()\n{router}\n{registered}\nurlpatterns = [path('', include(router.urls))]\n"
    )
    found = found_in({"site/urls.py": body, "shop/viewsets.py": VIEWSETS, "shop/models.py": "class Thing: ..."})
    assert sorted(f"{each.method or 'ANY'} {each.path} {each.name}" for each in found) == sorted(expected)


def test_what_another_module_registers_with_a_router_is_found() -> None:
    files = {
        "site/urls.py": "from django.urls import include, path\nfrom site.api import router\n"
        "urlpatterns = [path('api/', include(router.urls))]\n",
        "site/api.py": "from rest_framework.routers import SimpleRouter\nrouter = SimpleRouter()\n",
        "plugin/__init__.py": "",
        "plugin/api.py": "from site.api import router\nfrom shop.viewsets import Mixed\nrouter.register('p', Mixed)\n",
        "shop/viewsets.py": VIEWSETS,
    }
    assert [(each.method, each.path) for each in found_in(files)] == [("POST", "api/p/")]


CONFIGS = {
    "site/settings.py": "",
    "lib/__init__.py": "",
    "lib/base.py": "from django.apps import AppConfig\nclass Base(AppConfig):\n"
    "    def get_urls(self):\n        return []\n    def wrap(self, urls):\n        return urls\n"
    "    @property\n    def urls(self):\n        return self.get_urls(), self.label, None\n",
    "lib/load.py": "def get_class(label, name):\n    return find(label)[name]\n",
    "lib/apps.py": "from django.apps import apps\nfrom django.urls import include, path\nfrom lib.base import Base\n"
    "class Root(Base):\n    name = 'lib'\n    def ready(self):\n        self.cart = apps.get_app_config('cart')\n"
    "    def get_urls(self):\n        return [path('cart/', self.cart.urls), path('in/', include(self.cart.urls[0]))]\n",
    "lib/cart/__init__.py": "",
    "lib/cart/apps.py": "from django.urls import path\nfrom lib.base import Base\nfrom lib.load import get_class\n"
    "class One(Base):\n    label = 'cart'\n    name = 'lib.cart'\n    def ready(self):\n"
    "        super().ready()\n        self.view = get_class('cart.views', 'Show')\n    def get_urls(self):\n"
    "        urls = super().get_urls()\n        urls += [path('one/', self.view.as_view())]\n"
    "        return self.wrap(urls)\n"
    "class Two(Base):\n    label = 'cart'\n    name = 'lib.cart'\n    def get_urls(self):\n"
    "        urls = super().get_urls()\n        urls += [path('two/', self.view.as_view())]\n"
    "        return self.wrap(urls)\n"
    "class Both(One, Two):\n    pass\n",
    "lib/cart/views.py": "from lib.load import get_class\nShow = get_class('cart.pages', 'Show')\n",
    "lib/cart/pages.py": "class Show: ...\n",
}


def test_app_configs_are_followed_through_labels_inheritance_and_class_loaders() -> None:
    """The class with no heir stands for its label, and `super()` goes along the whole lookup order."""
    found = {(each.path, each.handler.symbol) for each in found_in(CONFIGS)}
    view = "lib.cart.pages.Show"
    assert found == {(f"{prefix}/{end}/", view) for prefix in ("cart", "in") for end in ("one", "two")}


REGISTRY = {
    "shop/registry.py": "import collections\nclass Registry(dict):\n    def __getitem__(self, key):\n"
    "        return super().__getitem__(key)\nregistry = Registry({'views': collections.defaultdict(dict)})\n"
    "def register(model, name='', path=None):\n    def wrapper(cls):\n        label = model._meta.app_label\n"
    "        kind = model._meta.model_name\n        if kind not in registry['views'][label]:\n"
    "            registry['views'][label][kind] = []\n"
    "        registry['views'][label][kind].append({'name': name, 'path': path or name, 'view': cls})\n"
    "        return cls\n    return wrapper\n"
    "def urls_of(label, kind):\n    found = []\n    try:\n        views = list(registry['views'][label][kind])\n"
    "    except KeyError:\n        return []\n    for config in views:\n        view = config['view']\n"
    "        if type(view) is str:\n            view = import_string(view)\n"
    "        found.append(path(config['path'] + '/', view.as_view(), name=f\"{kind}_{config['name']}\"))\n    return found\n"
    "from django.urls import path\n",
    "shop/models.py": "class Order: ...\n",
    "shop/views.py": "from shop.models import Order\nfrom shop.registry import register\n"
    "@register(Order, 'edit')\nclass EditOrder: ...\n@register(Order, 'drop', path='delete')\nclass DropOrder: ...\n",
    "shop/urls.py": "from shop.registry import urls_of\nfrom . import views\nurlpatterns = urls_of('shop', 'order')\n",
    "site/urls.py": "from django.urls import include, path\nurlpatterns = [path('o/', include('shop.urls'))]\n",
}


def test_views_that_decorators_put_in_a_registry_are_found_where_it_is_read() -> None:
    assert listed(found_in(REGISTRY)) == [
        "ANY o/edit/ order_edit shop.views.EditOrder",
        "ANY o/delete/ order_drop shop.views.DropOrder",
    ]


def test_plugins_under_a_hook_are_found_where_the_hook_is_asked() -> None:
    files = {
        "site/urls.py": "from django.urls import include, path\nfrom lib import hooks\nurlpatterns = []\n"
        "for fn in hooks.get_hooks('register_urls'):\n    urlpatterns += fn()\n",
        "lib/__init__.py": "",
        "lib/hooks.py": "def get_hooks(name):\n    return HOOKS[name]\n",
        "shop/hooks.py": "from django.urls import path\nfrom lib import hooks\nfrom shop import views\n"
        "@hooks.register('register_urls')\ndef more():\n    return [path('more/', views.index)]\n",
    }
    assert [each.path for each in found_in(files)] == ["more/"]


def test_without_settings_a_url_module_that_another_includes_is_no_root() -> None:
    files = {
        "site/settings.py": "",
        "a/urls.py": "from django.urls import include, path\nurlpatterns = [path('b/', include('b.urls'))]\n",
        "b/urls.py": "from django.urls import path\nfrom shop import views\nurlpatterns = [path('x/', views.index)]\n",
        "tests/urls.py": "from django.urls import path\nfrom shop import views\nurlpatterns = [path('t/', views.index)]\n",
    }
    assert [each.path for each in found_in(files)] == ["b/x/"]


def test_includes_in_a_circle_end() -> None:
    files = {
        **urls("urlpatterns = [path('a/', include('shop.urls')), path('x/', views.index)]"),
        "shop/urls.py": "from django.urls import include, path\nurlpatterns = [path('b/', include('site.urls'))]\n",
    }
    found = found_in(files)
    assert {"x/", "a/b/x/"} <= {each.path for each in found}
    assert len(found) < 20


BROKEN = [
    "urlpatterns = [path('a/', views.index)]\ndef (:\n",
    "print 'Python 2'\nurlpatterns = [path('a/', views.index)]\n",
    "try:\n    x\nexcept ValueError, error:\n    pass\nurlpatterns = [path('a/', views.index)]\n",
    "urlpatterns = [path('a/', views.index)]\nraise ValueError, 'x'\n",
]


@pytest.mark.parametrize("body", BROKEN)
def test_a_file_that_does_not_parse_is_read_all_the_same(body: str) -> None:
    assert [each.path for each in found_in(urls(body))] == ["a/"]


PLAIN = [
    ("a/(?P<pk>[^/.]+)/b", "a/<pk>/b"),
    ("(?P<a>(x|y)[)]\\))", "<a>"),
    ("^a$", "a"),
    ("(?P<open>[^/]+", "(?P<open>[^/]+"),
    ("plain", "plain"),
]


@pytest.mark.parametrize(("pattern", "expected"), PLAIN)
def test_a_routers_groups_are_shown_by_name(pattern: str, expected: str) -> None:
    assert plain_route(pattern) == expected


def measure(found: list[EntryPoint], truth: Path) -> tuple[float, float]:
    """Shares of the true routes that are found, and of the found ones that are invented."""
    true = {(each["route"], each["name"], each["view"]) for each in json.loads(truth.read_text())}
    said = {(each.path, each.name, each.handler.symbol) for each in found}
    return len(true & said) / len(true), len(said - true) / max(len(said), 1)


@pytest.mark.corpora
def test_oscars_routes_are_those_that_djangos_resolver_says(
    corpus_sources: Callable[[str], Sources], shared_dir: Path
) -> None:
    found = list(entry_points(corpus_sources("oscar")))
    recall, invented = measure(found, shared_dir / "truth/oscar-routes.json")
    assert recall >= 0.95
    assert invented <= 0.05
    for entry in found:
        assert entry.handler.path is not None or entry.handler.symbol.startswith("django.")


@pytest.mark.corpora
def test_the_measure_on_oscar_fails_when_class_loaders_are_not_followed(
    corpus_sources: Callable[[str], Sources], shared_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The figure above could come out bad: without one rule, most views are not found."""
    fresh = Sources({path: corpus_sources("oscar").data(path) for path in corpus_sources("oscar").paths})
    monkeypatch.setattr(hooks.DjangoHooks, "_load", lambda self, evaluator, args: NOT_HANDLED)
    recall, _ = measure(list(entry_points(fresh)), shared_dir / "truth/oscar-routes.json")
    assert recall < 0.5
