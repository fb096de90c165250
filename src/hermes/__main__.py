"""Run the ``hermes`` command as ``python -m hermes``."""

import sys

from hermes.cli import main

if __name__ == "__main__":
    sys.exit(main())
