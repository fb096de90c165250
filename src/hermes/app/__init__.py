"""Puts the pieces together; the only package that knows them all."""

from hermes.app.default import default_runtime
from hermes.app.runtime import Runtime

__all__ = ["Runtime", "default_runtime"]
