"""Serve the fixtures of the conformance suite through hermes: server.py PORT."""

import sys

import fixture_questions
from fixture_papers import Papers, beginnings
from fixture_tools import registry

from hermes.app import serving
from hermes.mcp.serving.http import Door

assert fixture_questions  # its tools are in the registry now
