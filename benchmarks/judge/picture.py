"""Draws the frontier: how precise the judge is, against how much it settles, as an SVG without any library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, MARGIN = 460, 340, 54
COLUMNS = 2
LOW = 0.70
"""Precision at the foot of the picture."""
COLOURS = ("#1f6f8b", "#c05621", "#555555", "#8a6d3b")


@dataclass(frozen=True)
class Panel:
    title: str
    line: Sequence[tuple[float, float]]
    """(settled, precision) as the threshold on strength falls."""
    marks: Sequence[tuple[str, float, float]]
    """Judges with fixed rules: name, settled, precision."""


def draw(panels: Sequence[Panel], must: tuple[float, float]) -> str:
    columns = min(len(panels), COLUMNS)
    width, height = WIDTH * columns, HEIGHT * -(-len(panels) // columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        x, y = number % columns * WIDTH, number // columns * HEIGHT
        parts.append(f'<g transform="translate({x} {y})">{_panel(panel, must)}</g>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, must: tuple[float, float]) -> str:
    left, right, top, foot = MARGIN, WIDTH - 14, 34, HEIGHT - MARGIN
    parts = [f'<text x="{left}" y="20" font-size="14" font-weight="bold">{panel.title}</text>']
    x, y = _x(must[0]), _y(must[1])
    parts.append(f'<rect x="{x:.1f}" y="{top}" width="{right - x:.1f}" height="{y - top:.1f}" fill="#eaf5ea"/>')
    for tick in range(0, 11, 2):
        x = _x(tick / 10)
        parts.append(f'<path d="M{x:.1f} {foot} v4" stroke="black"/>')
        parts.append(f'<text x="{x:.1f}" y="{foot + 16}" text-anchor="middle">{tick / 10:.1f}</text>')
    for tick in range(round(LOW * 20), 21):
        y = _y(tick / 20)
        parts.append(f'<path d="M{left - 4} {y:.1f} H{right}" stroke="#dddddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tick / 20:.2f}</text>')
    parts.append(f'<path d="M{left} {top} V{foot} H{right}" fill="none" stroke="black"/>')
    parts.append(
        f'<text x="{(left + right) / 2}" y="{HEIGHT - 14}" text-anchor="middle">settled without a model</text>'
    )
    middle = (top + foot) / 2
    parts.append(f'<text transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">precision of valid</text>')
    points = " ".join(f"{_x(settled):.1f},{_y(precision):.1f}" for settled, precision in panel.line)
    parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[0]}" stroke-width="2"/>')
    for number, (name, settled, precision) in enumerate(panel.marks):
        colour = COLOURS[number % len(COLOURS)]
        x, y = _x(settled), _y(precision)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')
        anchor, shift = ("end", -8) if settled > 0.8 else ("start", 8)
        parts.append(f'<text x="{x + shift:.1f}" y="{y + 14:.1f}" text-anchor="{anchor}" fill="{colour}">{name}</text>')
    return "\n".join(parts)


def _x(settled: float) -> float:
    return MARGIN + settled * (WIDTH - 14 - MARGIN)


def _y(precision: float) -> float:
    share = (max(precision, LOW) - LOW) / (1 - LOW)
    return HEIGHT - MARGIN - share * (HEIGHT - MARGIN - 34)
