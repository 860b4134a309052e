"""From source to documentation: outline or model drafts, then the judge; order.py runs and resumes them."""
