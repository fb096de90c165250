"""Puts the pieces together; the only package that knows them all."""

from hermes.app.runtime import Runtime, default_runtime

__all__ = ["Runtime", "default_runtime"]
