"""Which words of English and French are numbers, deny, set a condition, or say nothing of their own."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["en", "fr"]

NUMBER_WORDS: dict[Language, dict[str, int]] = {
    "en": {
        **{
            word: value
            for value, word in enumerate(
                "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                "seventeen eighteen nineteen twenty".split(),
                start=2,
            )
        },
        "thirty": 30,
        "forty": 40,
        "fifty": 50,
        "sixty": 60,
        "seventy": 70,
        "eighty": 80,
        "ninety": 90,
        "hundred": 100,
        "thousand": 1000,
    },
    "fr": {
        **{
            word: value
            for value, word in enumerate(
                "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize".split(), start=2
            )
        },
        "vingt": 20,
        "trente": 30,
        "quarante": 40,
        "cinquante": 50,
        "soixante": 60,
        "cent": 100,
        "mille": 1000,
    },
}
"""`one`, `un`, `une` are articles and `second` is an order or a time: never numbers. `neuf` is one before a plural
only ("neuf champs"), since it also means new; `four` is an oven in French."""

FUNCTION_WORDS: dict[Language, frozenset[str]] = {
    "en": frozenset(
        "a an and any are as at be been before but by can could do does each either else every few for from had has "
        "have he her his how i if in into is it its just last least less many may me more most much must my neither "
        "next no nor not of off on only onto or other others otherwise our out over own per rather same shall she "
        "should so some such than that the their them then there these they this those though through to too under "
        "until up upon us was we were what when where whether which while who whom whose will with within without "
        "would yet you your about above after again against all also among another because below between both during "
        "itself themselves once still very".split()
    ),
    "fr": frozenset(
        "a à afin ai ainsi alors après au aucun aucune aussi autre autres aux avant avec car ce ceci cela celle celles "
        "celui ces cet cette ceux chaque chez comme d dans de des donc dont du elle elles en encore entre est et été "
        "être eux fait font il ils j je l la le les leur leurs lors lorsque lui m mais me même mêmes moins n ne ni non "
        "nos notre nous on ont ou où par parmi pas pendant peut peuvent plus plusieurs pour puis qu quand que quel "
        "quelle quelles quels qui quoi s sa sans sauf se selon sera seront ses seul seule seules seuls si sinon son "
        "sont sous sur t ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y".split()
    ),
}
"""Words without a subject of their own: they neither make a noun for a number nor evidence for a clause."""

ACTOR_WORDS = frozenset(
    "actor admin administrator administrators app application author client customer customers developer employee "
    "guest manager managers member members operator people person reporter service shop site staff store system user "
    "users visitor visitors website acteur administrateur administrateurs auteur boutique clients développeur employé "
    "gestionnaire logiciel membre membres opérateur personne personnes serveur site système utilisateur utilisatrice "
    "utilisateurs visiteur visiteurs".split()
)
"""Who acts, in any application: code seldom says it where it happens, so its absence shows nothing."""

_BOTH = FUNCTION_WORDS["en"] & FUNCTION_WORDS["fr"]
_WORDS = re.compile(r"[^\W\d_]+")

NEGATORS = re.compile(
    r"\b(?:not|cannot|never|nothing|nobody|none|neither|nor|no(?=\s[\w\x00])|without|\w+n['’]t"
    r"|pas|jamais|aucune?|rien|sans|ni)\b"
    r"|\bne\s+\w+\s+(?:plus|personne)\b|\bn['’]\w+\s+(?:plus|personne)\b|\bpersonne\s+n(?:e\b|['’])",
    re.IGNORECASE,
)
"""What says that something does not happen. "rejects" and "refuse" do things, so they are not here."""

LATE_NEGATORS = frozenset({"without", "sans"})
"""These deny what follows them; the others deny the whole clause."""

NOT_DENIALS = re.compile(
    r"\bnot only\b|\bpas seulement\b|\bsans doute\b|\bor not\b|\bou non\b|\bno (?:more|less|fewer|later) than\b",
    re.IGNORECASE,
)
"""Turns that hold a negator and deny nothing."""

CONDITIONS = re.compile(
    r"\b(?:if|when|whenever|unless|once|whether|as long as|provided|si|s['’](?=ils?\b)|quand|lorsqu(?:e\b|['’])"
    r"|sauf si|à moins|tant qu(?:e\b|['’])|dès qu(?:e\b|['’])|en cas d)",
    re.IGNORECASE,
)
"""What opens an if or when clause; it runs to the next comma or the end of the sentence."""

PRODUCTS = frozenset(
    "AirTable AmericanExpress AppEngine AppStore BigQuery BitBucket BitTorrent CentOS ChatGPT CircleCI CloudFlare "
    "CloudFront CloudWatch CoffeeScript DeepL DevOps DigitalOcean DockerHub DropBox DynamoDB eBay ElasticSearch "
    "FaceBook FastAPI FileZilla FireFox FreeBSD GitHub GitLab GraphQL HubSpot InfluxDB IntelliJ iOS iPad iPhone "
    "JavaDoc JavaFX JavaScript jQuery KaTeX LaTeX LibreOffice LinkedIn macOS MacOS MailChimp MariaDB MathJax McDonald "
    "MongoDB MySQL NetBeans NextCloud NextJS NodeJS NoSQL NuGet OAuth OneDrive OpenAI OpenAPI OpenBSD OpenID "
    "OpenOffice OpenSearch OpenSSL OpenStack OpenStreetMap PayPal PDFs PhpStorm PlayStation PostgreSQL PowerPoint "
    "PowerShell PyCharm PyPI PyTorch QuickBooks RabbitMQ ReadTheDocs RedHat RESTful RubyGems SaaS SalesForce "
    "SendGrid SharePoint SourceForge SpaceX SQLite StackOverflow SwiftUI TensorFlow TypeScript URLs VMware WebAuthn "
    "WebDAV WebGL WebRTC WebSocket WebSockets WhatsApp WikiPedia WooCommerce WordPress YouTube ZooKeeper".split()
)
"""Names with humps that everybody writes in prose."""

HOST_ENDINGS = frozenset(
    "com org net io dev app co fr de uk eu edu gov info biz ch be ca us it es nl local localhost test example".split()
)

FILE_ENDINGS = frozenset(
    "py pyi rb erb rake js jsx mjs cjs ts tsx go java kt rs php phtml cs cpp cc hpp h c html htm xhtml css scss sass "
    "less json jsonl yaml yml toml xml ini cfg conf env csv tsv txt md rst log sql sh bash bat ps1 lock vue svelte "
    "haml slim jinja j2 hbs mustache ejs pug twig tpl tmpl png jpg jpeg gif svg ico webp pdf zip gz tar xls xlsx doc "
    "docx ods odt po pot mo pem key crt gemspec gradle properties proto graphql ipynb lua pl pm ex exs erl pp "
    "swift scala dart".split()
)
"""What follows the dot of a file name."""

HTTP_VERBS = frozenset("GET POST PUT PATCH DELETE HEAD OPTIONS ANY".split())


def language_of(text: str) -> Language:
    """The language a sentence is written in, by its function words; English when they do not say."""
    english = french = 0
    fr, en = FUNCTION_WORDS["fr"], FUNCTION_WORDS["en"]
    for word in _WORDS.findall(text[:4000].lower()):
        if word in _BOTH:
            continue
        if word in fr:
            french += 1
        elif word in en:
            english += 1
    return "fr" if french > english else "en"
