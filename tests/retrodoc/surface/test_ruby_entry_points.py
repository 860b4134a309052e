"""Ruby outside Rails' routes: Sinatra, Thor, rake tasks and background jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.frameworks import active_job, grape, rake, sinatra, thor
from retrodoc_runs.models import EntryPoint


def listed(found: Iterable[EntryPoint]) -> list[tuple[str, str, int | None, int | None]]:
    return [(each.label, each.handler.symbol, each.handler.start_line, each.handler.end_line) for each in found]


def test_sinatra_routes_join_namespaces_and_the_prefix_of_config_ru() -> None:
    found = sinatra.entry_points(
        Sources.from_mapping(
            {
                "app.rb": "require 'sinatra/base'\nmodule Shop\n  class Api < Sinatra::Base\n    get('/') { 1 }\n"
                "    namespace '/lists' do\n      get '.json' do\n      end\n      namespace '/:id' do\n"
                "        put('/x') { 2 }\n      end\n    end\n    delete %r{/old/(\\d+)} do\n    end\n  end\nend\n",
                "config.ru": "map '/v1' do\n  run Shop::Api\nend\n",
                "plain.rb": "require 'sinatra'\nget '/hello/:name' do |n|\n  n\nend\n"
                "class Store\n  get '/no' do\n  end\nend\n",
                "spec/app_spec.rb": "require 'sinatra'\nget '/never' do\nend\n",
            }
        )
    )
    assert listed(found) == [
        ("GET /v1/", "Shop::Api", 4, 4),
        ("GET /v1/lists.json", "Shop::Api", 6, 7),
        ("PUT /v1/lists/:id/x", "Shop::Api", 9, 9),
        ("DELETE /v1%r{/old/(\\d+)}", "Shop::Api", 12, 13),
        ("GET /hello/:name", "main", 2, 4),
    ]


def test_grape_endpoints_join_prefix_version_namespaces_and_mounts() -> None:
    found = grape.entry_points(
        Sources.from_mapping(
            {
                "app/api/root.rb": "module Shop\n  class Root < Grape::API\n    prefix :api\n"
                "    version 'v1', using: :path\n"
                "    mount Orders\n    mount Orders => '/again'\n    get(:up) { 1 }\n  end\nend\n",
                "app/api/orders.rb": "module Shop\n  class Orders < Base\n    resource :orders do\n      desc 'x'\n"
                "      get do\n      end\n      route_param :id do\n        put 'pay' do\n        end\n      end\n"
                "      route(:any, '*rest') { 1 }\n    end\n  end\n  class Base < Grape::API\n  end\nend\n",
                "config/routes.rb": "Rails.application.routes.draw do\n  mount Shop::Root => '/in'\nend\n",
            }
        )
    )
    assert sorted(listed(found)) == [
        ("ANY /in/api/v1/again/orders/*rest", "Shop::Orders", 11, 11),
        ("ANY /in/api/v1/orders/*rest", "Shop::Orders", 11, 11),
        ("GET /in/api/v1/again/orders", "Shop::Orders", 5, 6),
        ("GET /in/api/v1/orders", "Shop::Orders", 5, 6),
        ("GET /in/api/v1/up", "Shop::Root", 7, 7),
        ("PUT /in/api/v1/again/orders/:id/pay", "Shop::Orders", 8, 9),
        ("PUT /in/api/v1/orders/:id/pay", "Shop::Orders", 8, 9),
    ]


def test_thor_commands_are_the_described_public_methods_below_their_program() -> None:
    found = thor.entry_points(
        Sources.from_mapping(
            {
                "lib/cli.rb": "class Cli < Thor\n  desc 'sell X', 'Sell'\n  option :at\n  def sell(x)\n  end\n"
                "  def helper; end\n  desc 'cert', 'Certificates'\n  subcommand 'cert', Cert\n"
                "  private\n  desc 'a', 'b'\n  def hidden; end\nend\n",
                "lib/cert.rb": "class Cert < Base\n  desc 'make', 'Make'\n  def make; end\nend\n"
                "class Base < Thor\nend\n",
                "bin/shop": "#!/usr/bin/env ruby\nCli.start(ARGV)\n",
            }
        )
    )
    assert listed(found) == [
        ("cli: shop cert make", "Cert#make", 3, 3),
        ("cli: shop sell", "Cli#sell", 4, 5),
    ]


RAKE = """desc "x"
task :plain
namespace :db do
  task init: ["a"]
  task "load" => :environment do
  end
  namespace :more do
    multitask :both, [:x, :y] => [:environment] do |t, args|
      puts 1
    end
    %w(git svn).each { |scm| task "up_#{scm}" => :z }
  end
end
task computed_name
"""


def test_rake_tasks_are_named_with_their_namespaces() -> None:
    found = rake.entry_points(Sources.from_mapping({"Rakefile": RAKE, "lib/task.rb": "task :not_rake\n"}))
    assert [(each.name, each.handler.start_line, each.handler.end_line) for each in found] == [
        ("rake plain", 2, 2),
        ("rake db:init", 4, 4),
        ("rake db:load", 5, 6),
        ("rake db:more:both", 8, 10),
        ("rake db:more:up_git", 11, 11),
        ("rake db:more:up_svn", 11, 11),
    ]


JOBS = [
    ("class A < ApplicationJob\n  def perform(x)\n  end\nend\n", [("job: A", "A#perform", 2, 3)]),
    ("class A < ActiveJob::Base\n  def perform; end\nend\n", [("job: A", "A#perform", 2, 2)]),
    (
        "module M\n  class A\n    include Sidekiq::Job\n    def perform; end\n  end\nend\n",
        [("job: M::A", "M::A#perform", 4, 4)],
    ),
    ("class A\n  @queue = :x\n  def self.perform; end\nend\n", [("job: A", "A#perform", 3, 3)]),
    ("class A\n  def self.perform; end\nend\n", []),
    ("class A < Base\n  def perform; end\nend\nclass Base < ApplicationJob\nend\n", [("job: A", "A#perform", 2, 2)]),
    ("class A < Report\n  def perform; end\nend\n", []),
]


@pytest.mark.parametrize(("text", "expected"), JOBS)
def test_a_job_is_a_class_that_a_queue_performs(text: str, expected: list[tuple[str, str, int, int]]) -> None:
    assert listed(active_job.entry_points(Sources.from_mapping({"app/jobs/a.rb": text}))) == expected


@pytest.mark.corpora
def test_schleuders_api_and_commands(corpus_sources: Callable[[str], Sources]) -> None:
    """24 routes and 8 commands, counted by hand in its sources."""
    sources = corpus_sources("schleuder")
    routes = {each.label: each.handler for each in sinatra.entry_points(sources)}
    assert len(routes) == 24
    handler = routes["DELETE /subscriptions/:id.json"]
    assert (handler.path, handler.start_line) == ("schleuder-api-daemon/routes/subscription.rb", 91)
    commands = {each.name for each in thor.entry_points(sources)}
    assert commands == {
        "version",
        "new_api_key",
        "work",
        "check_keys",
        "refresh_keys",
        "install",
        "cert generate",
        "cert fingerprint",
    }


@pytest.mark.corpora
def test_redmines_rake_tasks(corpus_sources: Callable[[str], Sources]) -> None:
    found = {each.name: each.handler for each in rake.entry_points(corpus_sources("redmine"))}
    handler = found["rake redmine:send_reminders"]
    assert (handler.path, handler.start_line, handler.end_line) == ("lib/tasks/reminder.rake", 33, 44)
    assert "rake test:scm:setup:git_utf8" in found
