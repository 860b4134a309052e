"""Rails routes are those that Rails itself would print, and each leads to the method that answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.frameworks.rails_routes import entry_points
from retrodoc_runs.models import EntryPoint

DATA = Path(__file__).parent / "data"


def rails(files: dict[str, str]) -> list[EntryPoint]:
    return list(entry_points(Sources.from_mapping(files)))


def draw(body: str) -> list[EntryPoint]:
    return rails({"config/routes.rb": f"Rails.application.routes.draw do\n{body}\nend\n"})


def listed(found: Iterable[EntryPoint]) -> list[str]:
    return [f"{each.method or 'ANY'} {each.path} {each.handler.symbol}" for each in found]


@pytest.mark.parametrize("name", ["every_route_form", "more_route_forms"])
def test_a_file_with_every_form_of_route_gives_what_rails_prints(name: str) -> None:
    """The expected rows are the answer of Rails 6.1.7 to the same file, names included."""
    found = rails({"config/routes.rb": (DATA / f"{name}.rb").read_text()})
    rows = [line.split("\t") for line in (DATA / f"{name}.txt").read_text().splitlines()[1:]]

    def target(each: EntryPoint) -> str:
        return each.handler.symbol

    def as_symbol(to: str) -> str:
        if "#" not in to:
            return to
        controller, action = to.split("#")
        named = "::".join("".join(word.capitalize() for word in part.split("_")) for part in controller.split("/"))
        return f"{named}Controller#{action}"

    expected = {(verb, path, as_symbol(to)) for verb, path, _, to in rows}
    assert {(each.method or "ANY", each.path, target(each)) for each in found} == expected
    names = {(each.method or "ANY", each.path, each.name) for each in found}
    assert {(verb, path, name) for verb, path, name, _ in rows if name != "-"} <= names


FORMS = [
    ("get 'x' => 'c#y'", ["GET /x CController#y"]),
    ("get :x, :to => 'c#y', :id => /\\d+/", ["GET /x CController#y"]),
    ("match 'x', to: 'c#y', via: [:get, :post]", ["GET /x CController#y", "POST /x CController#y"]),
    ("match 'x', to: 'c#y', via: :all", ["ANY /x CController#y"]),
    ("get 'x/:id(.:format)', to: 'c#y'", ["GET /x/:id CController#y"]),
    ("get 'x', to: 'c#y', format: true", ["GET /x.:format CController#y"]),
    ("get '(projects/:id)/search', to: 's#i'", ["GET (/projects/:id)/search SController#i"]),
    ("root 'a#b'", ["GET / AController#b"]),
    ("root :to => 'a#b'", ["GET / AController#b"]),
    ("mount Sidekiq::Web => '/sidekiq'", ["ANY /sidekiq Sidekiq::Web"]),
    ("mount Sidekiq::Web, at: '/sidekiq'", ["ANY /sidekiq Sidekiq::Web"]),
    ("get '/old', to: redirect('/new')", ["GET /old redirect"]),
    ("get '/up', to: ->(env) { [200, {}, []] }", ["GET /up lambda"]),
    ("get '/m', to: PagesController.action(:show)", ["GET /m PagesController#show"]),
    (
        "api_version(module: 'Api::V1', path: {value: 'api/v1'}) do\nget :x, to: 'c#y'\nend",
        ["GET /api/v1/x Api::V1::CController#y"],
    ),
    ("authenticate :user do\nget 'x', to: 'c#y'\nend", ["GET /x CController#y"]),
    ("get 'x', to: 'c#y' if Rails.env.test?", ["GET /x CController#y"]),
    (
        "case x\nwhen 'a' then get 'a', to: 'c#a'\nelse\nget 'b', to: 'c#b'\nend",
        ["GET /a CController#a", "GET /b CController#b"],
    ),
    ("get \"/#{prefix}/x\", to: 'c#y'", []),
    ("UNKNOWN.each { |n| get n, to: 'c#y' }", []),
    ("Plugins.all.each { |n| get 'fixed', to: 'c#y' }", ["GET /fixed CController#y"]),
    ("def pair(name)\nget name, to: 'c#y'\nend\npair 'a'\npair :b", ["GET /a CController#y", "GET /b CController#y"]),
    ("def wrap(at)\nscope(at) { yield }\nend\nwrap('in') { get 'x', to: 'c#y' }", ["GET /in/x CController#y"]),
    ("def again\nagain\nend\nagain\nget 'x', to: 'c#y'", ["GET /x CController#y"]),
    ("resources :a, only: []", []),
    ("direct(:x) { 'y' }\nresolve('B') { [:b] }", []),
]


@pytest.mark.parametrize(("body", "expected"), FORMS, ids=[body for body, _ in FORMS])
def test_a_statement_declares_these_routes(body: str, expected: list[str]) -> None:
    assert listed(draw(body)) == expected


CONTROLLER = """class PostsController < ApplicationController
  include Searching
  def index
    1
  end
  alias_method :list, :index

  private

  def hidden
  end
end
"""


def test_a_handler_is_the_method_that_answers_also_inherited_mixed_in_or_aliased() -> None:
    found = rails(
        {
            "config/routes.rb": "Rails.application.routes.draw do\n%w(index list search ping hidden gone).each do |a|\n"
            "get a, controller: 'posts', action: a\nend\nend\n",
            "app/controllers/posts_controller.rb": CONTROLLER,
            "app/controllers/concerns/searching.rb": "module Searching\n  def search\n  end\nend\n",
            "app/controllers/application_controller.rb": "class ApplicationController\n\n  def ping; end\nend\n",
        }
    )
    places = {each.path: (each.handler.path, each.handler.start_line, each.handler.end_line) for each in found}
    assert places == {
        "/index": ("app/controllers/posts_controller.rb", 3, 5),
        "/list": ("app/controllers/posts_controller.rb", 3, 5),
        "/search": ("app/controllers/concerns/searching.rb", 2, 3),
        "/ping": ("app/controllers/application_controller.rb", 3, 3),
        "/hidden": (None, None, None),
        "/gone": (None, None, None),
    }
    assert {each.handler.symbol for each in found if each.path == "/gone"} == {"PostsController#gone"}


def test_a_controller_is_found_by_its_path_even_when_its_module_is_an_acronym() -> None:
    found = rails(
        {
            "config/routes.rb": "Rails.application.routes.draw do\n"
            "namespace(:api) { get 'x', to: 'oauth#show' }\nend\n",
            "app/controllers/api/oauth_controller.rb": "module API\n  class OAuthController\n"
            "    def show; end\n  end\nend\n",
        }
    )
    assert listed(found) == ["GET /api/x API::OAuthController#show"]
    assert found[0].handler.start_line == 3


def test_a_route_says_where_it_is_declared() -> None:
    found = draw("resources :posts,\n  only: [:index] do\n  get :more, on: :collection\nend")
    assert [(each.path, each.declared.start_line, each.declared.end_line) for each in found if each.declared] == [
        ("/posts/more", 4, 4),
        ("/posts", 2, 3),
    ]


def test_drawn_files_engines_and_bare_plugin_routes_are_read() -> None:
    found = rails(
        {
            "config/routes.rb": "Rails.application.routes.draw do\ndraw :admin\nmount Shop::Engine, at: '/shop'\nend\n",
            "config/routes/admin.rb": "namespace :admin do\n  get 'x', to: 'c#y'\nend\n",
            "engines/shop/config/routes.rb": "Shop::Engine.routes.draw do\n  resources :carts, only: :show\nend\n",
            "engines/shop/lib/shop/engine.rb": "module Shop\n  class Engine < Rails::Engine\n"
            "    isolate_namespace Shop\n  end\nend\n",
            "engines/shop/app/controllers/shop/carts_controller.rb": "module Shop\n  class CartsController\n"
            "    def show; end\n  end\nend\n",
            "plugins/extra/config/routes.rb": "get 'extra', to: 'extra#show'\n",
            "spec/dummy/config/routes.rb": "Rails.application.routes.draw do\n  get 'never', to: 'c#y'\nend\n",
        }
    )
    assert sorted(listed(found)) == [
        "ANY /shop Shop::Engine",
        "GET /admin/x Admin::CController#y",
        "GET /extra ExtraController#show",
        "GET /shop/carts/:id Shop::CartsController#show",
    ]


def test_devise_routes_follow_the_model_and_the_controllers_that_are_named() -> None:
    found = rails(
        {
            "config/routes.rb": "Rails.application.routes.draw do\ndevise_for :users, path: 'auth', controllers: "
            "{ sessions: 'login' }, skip: [:registrations]\nend\n",
            "app/models/user.rb": "class User\n  devise :database_authenticatable, :registerable, :omniauthable, "
            "omniauth_providers: %i[github]\nend\n",
            "app/controllers/login_controller.rb": "class LoginController\n  def create; end\nend\n",
        }
    )
    assert listed(found) == [
        "GET /auth/sign_in LoginController#new",
        "POST /auth/sign_in LoginController#create",
        "DELETE /auth/sign_out LoginController#destroy",
        "GET /auth/auth/github Devise::OmniauthCallbacksController#passthru",
        "POST /auth/auth/github Devise::OmniauthCallbacksController#passthru",
        "GET /auth/auth/github/callback Devise::OmniauthCallbacksController#github",
        "POST /auth/auth/github/callback Devise::OmniauthCallbacksController#github",
    ]
    assert found[1].handler.path == "app/controllers/login_controller.rb"


def test_an_api_only_application_has_no_form_pages_and_its_own_plurals_count() -> None:
    found = rails(
        {
            "config/routes.rb": "Rails.application.routes.draw do\n"
            "resources :foci do\nresources :x, only: :index\nend\nend\n",
            "config/application.rb": "module A\n  class Application\n    config.api_only = true\n  end\nend\n",
            "config/initializers/inflections.rb": "ActiveSupport::Inflector.inflections do |inflect|\n"
            "  inflect.irregular 'focus', 'foci'\nend\n",
        }
    )
    paths = {each.path for each in found}
    assert paths == {"/foci", "/foci/:id", "/foci/:focus_id/x"}


def differences(expected: dict[str, Any], found: Iterable[EntryPoint], controller: str) -> set[str]:
    """Every row that one side has and the other has not."""
    ours = {
        (each.method, each.path, each.handler.symbol.split("#")[1], each.handler.path, each.handler.start_line)
        for each in found
        if each.handler.symbol.startswith(f"{controller}#")
    }
    theirs = {
        (verb, path, action, expected["file"], expected["lines"][action]) for verb, path, action in expected["routes"]
    }
    return {f"missing {row}" for row in theirs - ours} | {f"invented {row}" for row in ours - theirs}


BY_HAND: dict[str, Any] = json.loads((DATA / "redmine_by_hand.json").read_text())["controllers"]


@pytest.mark.corpora
@pytest.mark.parametrize("controller", BY_HAND)
def test_redmine_has_the_routes_that_were_derived_by_hand(
    controller: str, corpus_sources: Callable[[str], Sources]
) -> None:
    found = list(entry_points(corpus_sources("redmine")))
    assert differences(BY_HAND[controller], found, controller) == set()


@pytest.mark.corpora
def test_a_wrong_row_in_a_list_is_noticed(corpus_sources: Callable[[str], Sources]) -> None:
    """The comparison above can fail: a changed path, a changed line and a dropped row are each reported."""
    found = list(entry_points(corpus_sources("redmine")))
    right = BY_HAND["JournalsController"]
    first, *others = right["routes"]
    for wrong in (
        {**right, "routes": [[first[0], first[1] + "x", first[2]], *others]},
        {**right, "routes": others},
        {**right, "lines": {**right["lines"], "index": 36}},
    ):
        assert differences(wrong, found, "JournalsController")


@pytest.mark.corpora
def test_redmine_has_as_many_routes_as_rails_prints(corpus_sources: Callable[[str], Sources]) -> None:
    """446 rows, counted in the output of Rails 6.1.7 for the same file; 7 of them have no method behind them."""
    found = list(entry_points(corpus_sources("redmine")))
    assert len({(each.method, each.path) for each in found}) == 446
    assert sorted({each.handler.symbol for each in found if each.handler.path is None}) == [
        "AuthSourcesController#show",
        "CustomFieldEnumerationsController#update",
        "PrincipalMembershipsController#index",
        "PrincipalMembershipsController#show",
    ]
