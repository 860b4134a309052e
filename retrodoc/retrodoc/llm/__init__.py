"""Model access: one protocol, several providers, structured answers that are checked, a cost ceiling that holds."""
