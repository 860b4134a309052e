"""Decides which app configs a project has, and which one a label means."""

from __future__ import annotations

import ast

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator
from retrodoc.surface.python.modules import Project, is_test_path
from retrodoc.surface.python.values import ClassRef, Instance


class AppConfigs:
    """The app configs of one project, by label."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._by_label: dict[str, Instance] | None = None
        self._filling: dict[str, Instance] = {}

    def is_config(self, evaluator: Evaluator, cls: ClassRef) -> bool:
        return any(base.rpartition(".")[2] == "AppConfig" for base in evaluator.linear(cls)[1])

    def instance(self, evaluator: Evaluator, label: str) -> Instance | None:
        return self._all(evaluator).get(label)

    def instances(self, evaluator: Evaluator) -> list[Instance]:
        return list(self._all(evaluator).values())

    def label_of(self, evaluator: Evaluator, module: str) -> str:
        """The label of the app that a module belongs to: of the config with the longest name, else of its folder."""
        best = ("", "")
        for label, config in self._all(evaluator).items():
            name = evaluator.class_member(config.cls, "name")
            if isinstance(name, str) and f"{module}.".startswith(f"{name}.") and len(name) > len(best[0]):
                best = (name, label)
        return best[1] or module.partition(".models")[0].rpartition(".")[2]

    def _all(self, evaluator: Evaluator) -> dict[str, Instance]:
        if self._by_label is None:
            self._by_label = {}
            self._by_label.update(self._collect(evaluator))
        return self._by_label

    def _collect(self, evaluator: Evaluator) -> dict[str, Instance]:
        classes = list(self._classes(evaluator))
        derived_from = {id(base.node) for cls in classes for base in evaluator.linear(cls)[0][1:]}
        found: dict[str, Instance] = {}
        for cls in sorted(classes, key=lambda cls: (id(cls.node) in derived_from, is_test_path(cls.module.path))):
            label, name = evaluator.class_member(cls, "label"), evaluator.class_member(cls, "name")
            if not isinstance(label, str) and isinstance(name, str):
                label = name.rpartition(".")[2]
            if isinstance(label, str):
                found.setdefault(label, Instance(cls))
        return found

    def _classes(self, evaluator: Evaluator) -> list[ClassRef]:
        found: list[ClassRef] = []
        for path in self.project.paths_of_subclasses("AppConfig"):
            module = evaluator.module(path)
            for node in module.tree.body if module else ():
                if isinstance(node, ast.ClassDef) and module is not None:
                    cls = evaluator.member_of(module, node.name)
                    if isinstance(cls, ClassRef) and cls is not NOT_HANDLED and self.is_config(evaluator, cls):
                        found.append(cls)
        return found
