"""The judge: no model, no network, no clock."""
