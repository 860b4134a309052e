"""What a file's name alone says: that it is binary, generated, an asset, a secret, a test or a migration."""

from __future__ import annotations

import re
from functools import cache

BINARY_EXTENSIONS = frozenset(
    (
        "png jpg jpeg gif ico bmp tif tiff webp avif heic psd ai eps xcf sketch fig icns cur "
        "woff woff2 ttf otf eot pfb "
        "zip gz tgz bz2 xz zst 7z rar tar lz4 jar war ear whl gem deb rpm dmg iso cab nupkg apk ipa "
        "mp3 mp4 m4a m4v wav ogg oga ogv webm avi mov flac mkv wmv swf "
        "pdf doc docx xls xlsx ppt pptx odt ods odp odg rtf "
        "pyc pyo pyd class o so a lib dll exe dylib wasm obj pdb rlib beam "
        "mo gmo sqlite sqlite3 mdb parquet feather npy npz pkl pickle h5 onnx pt gguf lockb"
    ).split()
)
"""Extensions of files that are never text; anything else is read, and a NUL byte decides."""

ASSET_EXTENSIONS = frozenset(
    "css scss sass less styl pcss svg po pot xlf xliff resx log csv tsv ics pub crt cer".split()
)
"""Text that holds no behaviour: styles, drawings, translations, tables. The judge reads them; drafting does not."""

CODE_EXTENSIONS = frozenset(
    (
        "py rb js mjs cjs jsx ts tsx mts cts rs go java kt cs php c h cc cpp hpp swift scala ex exs erl lua pl pm vue"
    ).split()
)
"""Of program text. A settings file that a program wrote is read all the same."""

_LOCK_FILES = frozenset(
    (
        "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock poetry.lock pdm.lock "
        "uv.lock pipfile.lock gemfile.lock cargo.lock composer.lock mix.lock pubspec.lock podfile.lock go.sum "
        "go.work.sum flake.lock packages.lock.json gradle.lockfile paket.lock conda-lock.yml"
    ).split()
)

_GENERATED_NAME = re.compile(
    r"""
      _pb2(_grpc)?\.pyi? | _pb\.(d\.)?[jt]s | _grpc_pb\.(d\.)?[jt]s | _twirp\.(rb|py) | (_services)?_pb\.rb
    | \.pb(\.gw|\.validate)?\.(go|cc|h) | _grpc\.pb\.go
    | \.(g|freezed|gr|mocks|gen)\.dart | \.designer\.(cs|vb) | \.g(\.i)?\.cs | \.generated\.\w+ | \.gen\.(go|ts|tsx|js)
    | (^|/)cache/(js|css)/[^/]+\.[0-9a-f]{8,}\.(js|css)
    | \.(js|mjs|cjs|jsx|css|ts|mts|cts)\.map | \.tsbuildinfo
    """,
    re.VERBOSE,
)
_HASHED_COPY = re.compile(r"(?P<stem>.+?)[.-](?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\.(m?js|css)$")
"""What bundlers and static file storages append: twelve hexadecimal digits or more."""

_MINIFIED_NAME = re.compile(r"[.-]min\.(js|mjs|cjs|css)$|\.bundle\.(js|css)$|\.chunk\.(js|css)$|\.umd\.production\.js$")

_SECRET_NAMES = frozenset(
    (
        ".env .envrc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .pypirc .npmrc .yarnrc.yml .dockercfg "
        ".dockerconfigjson .vault_pass .vault-token .s3cfg .boto kubeconfig "
        "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk master.key credentials.json credentials.yml "
        "credentials.yaml credentials.yml.enc secrets.json secrets.yml secrets.yaml secrets.toml secrets.env "
        "secret.key client_secret.json service-account.json service_account.json serviceaccount.json terraform.tfstate "
        "wp-config.php"
    ).split()
)
_SECRET_NAME = re.compile(
    r"""
      \.(pem|key|p12|pfx|jks|keystore|kdbx?|ppk|ovpn|tfvars|agekey|mobileprovision)$
    | ^\.env\.(?!(example|sample|template|dist|defaults?|schema|tpl)$) | ^(?!example|sample)[\w-]+\.env$
    | ^client_secret[\w.-]*\.json$ | ^service[_-]?account[\w.-]*\.json$ | ^terraform\.tfstate
    | ^secrets?\.(?:\w+\.)?(ya?ml|json|toml|ini|properties|env)$
    """,
    re.VERBOSE,
)
_SECRET_PATH = re.compile(
    r"(^|/)(\.aws/credentials|\.docker/config\.json|\.kube/config|\.ssh/[^/]+|config/credentials/[^/]+)$"
)

_TEST_FOLDERS = frozenset(
    (
        "test tests spec specs __tests__ __mocks__ __snapshots__ testing testdata test_data test-data testsuite "
        "test_helpers testhelpers test_utils testutils test_project testapp test_app fixtures e2e cypress "
        "features_test integration_tests integration-tests unit_tests functional_tests acceptance_tests"
    ).split()
)
_NEVER_TEST_FOLDERS = re.compile(r"(^|/)(app|src|lib)/(models|views|controllers)/(test|tests|spec|specs)/")
_TEST_NAME = re.compile(
    r"""
      ^(test|tests|conftest|spec_helper|rails_helper|test_helper|setuptests|jest\.setup|vitest\.setup)\.\w+$
    | ^test_.+\.(py|rb|c|cc|cpp|lua)$ | .+_(test|tests|spec)\.(py|rb|go|c|cc|cpp|exs|dart|lua|rs|php|js|ts)$
    | .+[.-](test|tests|spec|e2e|cy)\.([cm]?[jt]sx?)$
    """,
    re.VERBOSE,
)
_TEST_CLASS_FILE = re.compile(r"[a-z0-9](Test|Tests|TestCase|Spec|IT)\.(java|kt|kts|cs|scala|groovy|php|swift)$")

_MIGRATION = re.compile(
    r"(^|/)(migrations?|db/migrate|db/migration|alembic/versions|migrations?/versions)/(?!__init__\.py$)[^/]+\.(py|rb|sql|php|js|ts|go)$"
)


def extension(path: str) -> str:
    """Lower-case text after the last dot of the file name; empty when there is none, or nothing before it."""
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return last.lower() if dot and stem else ""


def is_secret(path: str) -> bool:
    """Whether a file of this name may hold a key or a password: its content goes to no model.

    Program text that is merely called so (`secrets.py`) is not meant.
    """
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    return name in _SECRET_NAMES or bool(_SECRET_NAME.search(name) or _SECRET_PATH.search(lowered))


def is_generated_name(path: str) -> bool:
    """Written by a program, by its name: lock files, protocol buffers, source maps, bundlers' hashed copies."""
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    return name in _LOCK_FILES or bool(_GENERATED_NAME.search(lowered) or _HASHED_COPY.match(name))


def is_minified_name(path: str) -> bool:
    """Packed for delivery, by its name."""
    return bool(_MINIFIED_NAME.search(path.lower()))


@cache
def is_test(path: str) -> bool:
    """Whether a file tests the software rather than being part of it: by its folders and its name, in any language."""
    folders, _, name = path.rpartition("/")
    if _TEST_NAME.search(name.lower()) or _TEST_CLASS_FILE.search(name):
        return True
    if not folders or _NEVER_TEST_FOLDERS.search(path):
        return False
    return any(folder in _TEST_FOLDERS or folder.startswith("test_") for folder in folders.lower().split("/"))


def is_migration(path: str) -> bool:
    """A step of the database schema's history: it is read as source, but tells what was rather than what is."""
    return bool(_MIGRATION.search(path))
