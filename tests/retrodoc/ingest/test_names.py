"""What a file's name says of it."""

from __future__ import annotations

import pytest

from retrodoc.ingest.names import is_migration, is_secret, is_test

TESTS = """
    tests/test_cart.py test_cart.py shop/cart_test.py conftest.py shop/tests.py shop/test/factories.py
    spec/models/a_spec.rb
    test/models/cart_test.rb cart.spec.ts cart.test.tsx src/__tests__/cart.js e2e/pay.js cypress/pay.cy.ts cart_test.go
    src/test/java/CartTest.java src/main/CartTests.cs CartIT.java tests/testsuite/build.rs spec/spec_helper.rb
    TESTS/a.py apps/shop/tests/urls.py test_project/settings.py
""".split()
NOT_TESTS = """
    shop/cart.py shop/contest.py shop/latest.py attest.py app/models/test/result.rb src/models/spec/range.ts
    shop/testimony.py
    lib/inspector.rb shop/specification.rb protest/a.py Latest.java Contest.cs app/views/tests/index.html.erb
    shop/testament.go greatest.js shop/request.spec/index.js a/spect/b.py
""".split()
SECRETS = """
    .env .env.local web/.env.production .envrc .netrc id_rsa keys/server.key a.pem store.jks x.p12 secrets.yml
    config/secrets.yaml
    secret.json .aws/credentials config/credentials/production.key config/credentials.yml.enc terraform.tfstate.backup
    prod.tfvars client_secret_123.json docker.env .git-credentials .npmrc KEYS/ID_RSA
""".split()
NOT_SECRETS = """
    .env.example .env.sample .env.template environment.py env.py secrets.py secret_santa.py keys.py key.rb public.pub
    a.crt
    example.env config/environment.rb monkey.py credentials.py secrets/__init__.py tfvars.md app/models/secret.rb env
""".split()
MIGRATIONS = [
    "shop/migrations/0001_initial.py",
    "db/migrate/20260102_a.rb",
    "alembic/versions/abc.py",
    "migrations/1.sql",
]
NOT_MIGRATIONS = [
    "shop/migrations/__init__.py",
    "shop/migrations.py",
    "docs/migrations/how.md",
    "shop/migration_tools/a.py",
]


@pytest.mark.parametrize("path", TESTS)
def test_a_test_is_known_by_its_folder_or_name(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", NOT_TESTS)
def test_a_word_that_holds_test_makes_no_test(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize("path", SECRETS)
def test_a_secret_is_known_by_its_name(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", NOT_SECRETS)
def test_a_word_about_secrets_makes_no_secret(path: str) -> None:
    assert not is_secret(path)


@pytest.mark.parametrize("path", MIGRATIONS)
def test_a_migration_is_known_by_its_folder(path: str) -> None:
    assert is_migration(path)


@pytest.mark.parametrize("path", NOT_MIGRATIONS)
def test_what_is_beside_migrations_is_none(path: str) -> None:
    assert not is_migration(path)
