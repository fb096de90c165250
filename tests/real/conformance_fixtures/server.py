"""Serve the fixtures of the conformance suite through hermes.

`server.py` serves at standard input and output, `server.py PORT` over HTTP; it says where.
"""

import sys

import fixture_questions
from fixture_papers import Papers, beginnings
from fixture_tools import registry

from hermes.app import serving
from hermes.mcp.serving.door import Door

assert fixture_questions  # its tools are in the registry now


def main(words):
    served = serving.make(
        shelves=[Papers()], prompts=[beginnings], registry=registry, toolsets=["conformance"]
    )
    if words:
        serving.serve_http(served, Door("127.0.0.1", int(words[0])))
    else:
        serving.serve_stdio(served)


if __name__ == "__main__":
    main(sys.argv[1:])
