"""What people read: pages, diagrams and reports, built from a run and its verdicts; the only place that writes them."""
