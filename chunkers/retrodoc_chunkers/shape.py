"""Whether a tree can be asked queries in reasonable time: not one that is very deep, nor one long run of punctuation.

A query looks at every node's ancestors and at its later siblings up to the next named one. Code has few of either;
a hostile file has a hundred thousand, and a query over it takes minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_MEAN_DEPTH = 300
"""Nodes above a node, on average over the tree. Written code has about 10; the deepest file measured has 60."""
MAX_RUN_COST = 20_000_000
"""Sum of the squares of runs of unnamed siblings: about a second of a query. Written code stays under 10,000."""
_SMALL = 1_000
"""Nodes with fewer descendants cannot matter."""
_FEW = 4_000
"""A file with fewer nodes cannot matter: in one run they stay below `MAX_RUN_COST`, in one chain they take 10 ms."""


def tangled(root: Node) -> bool:
    """Whether queries over the tree would take much longer than parsing it did."""
    whole = root.descendant_count
    if whole < _FEW:
        return False
    depths = run_cost = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        count = node.descendant_count
        if count < _SMALL:
            continue
        # The sum of all depths is the sum of all numbers of descendants.
        depths += count
        children = node.children
        if len(children) > _SMALL:
            run_cost += _run_cost(children)
        if depths > MAX_MEAN_DEPTH * whole or run_cost > MAX_RUN_COST:
            return True
        waiting.extend(children)
    return False


def _run_cost(children: list[Node]) -> int:
    cost = run = 0
    for child in children:
        if child.is_named:
            cost += run * run
            run = 0
        else:
            run += 1
    return cost + run * run
