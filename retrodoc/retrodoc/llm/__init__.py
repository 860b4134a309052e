"""Model access: one protocol, several providers, structured answers that are checked, a cost ceiling that holds.

`settings.LlmSettings` and `setup.choose` say who is asked; `setup.make_asker` gives the `asker.Asker` of a run.
Nothing heavy is imported before it is used: no HTTP client, SDK or price list.
"""
