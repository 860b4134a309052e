"""Next.js: where a file lies says which route or page it answers."""

from __future__ import annotations

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.frameworks import next as rule

MANIFEST = '{"name": "shop", "dependencies": {"next": "15"}}'
ROUTE = "export async function GET() {}\n"
ROUTE += "export const POST = guarded(async (request) => {});\nexport const runtime = 'edge';\n"
PAGE = "export default function Page() {}\n"


def _found(files: dict[str, str], manifest: str = MANIFEST, at: str = "package.json") -> list[str]:
    sources = Sources.from_mapping({**files, at: manifest})
    return sorted(f"{each.label} {each.handler.symbol}" for each in rule.entry_points(sources))


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("app/api/orders/route.ts", ROUTE, ["GET /api/orders GET", "POST /api/orders POST"]),
        ("src/app/api/orders/[id]/route.js", ROUTE, ["GET /api/orders/:id GET", "POST /api/orders/:id POST"]),
        ("app/(shop)/hats/page.tsx", PAGE, ["page: /hats Page"]),
        ("app/page.tsx", PAGE, ["page: / Page"]),
        ("app/docs/[...path]/page.tsx", PAGE, ["page: /docs/:path* Page"]),
        ("app/docs/[[...path]]/page.tsx", PAGE, ["page: /docs/:path*? Page"]),
        ("app/@side/hats/page.tsx", PAGE, ["page: /hats Page"]),
        ("app/feed/(.)hats/page.tsx", PAGE, []),
        ("app/_parts/page.tsx", PAGE, []),
        ("app/hats/layout.tsx", PAGE, []),
        ("app/hats/route.ts", "export { GET } from 'elsewhere';\n", ["GET /hats GET"]),
        ("pages/api/orders/[id].ts", "export default async function handler() {}\n", ["ANY /api/orders/:id handler"]),
        ("pages/api/orders/index.ts", "export default () => {};\n", ["ANY /api/orders anonymous"]),
        ("pages/hats/[size].jsx", PAGE, ["page: /hats/:size Page"]),
        ("src/pages/index.js", PAGE, ["page: / Page"]),
        ("pages/_app.tsx", PAGE, []),
        ("pages/hats.test.tsx", PAGE, []),
        ("lib/app/hats/page.tsx", PAGE, []),
    ],
)
def test_a_file_answers_this(path: str, source: str, expected: list[str]) -> None:
    assert _found({path: source}) == expected


def test_an_application_in_a_folder_counts_from_there() -> None:
    assert _found({"apps/web/app/hats/page.tsx": PAGE}, at="apps/web/package.json") == ["page: /hats Page"]


def test_without_next_a_folder_called_app_means_nothing() -> None:
    assert _found({"app/hats/page.tsx": PAGE}, '{"name": "shop", "dependencies": {"vue": "3"}}') == []
    assert _found({"app/hats/page.tsx": PAGE}, "[]") == []


def test_a_wrapped_handler_is_followed_to_the_function() -> None:
    sources = Sources.from_mapping({"app/api/route.ts": ROUTE, "package.json": MANIFEST})
    post = next(each for each in rule.entry_points(sources) if each.method == "POST")
    assert (post.handler.path, post.handler.start_line) == ("app/api/route.ts", 2)
