"""Measure hermes against baselines in the same run: `python -m bench`, see docs/benchmarks.md."""
