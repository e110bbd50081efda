"""`python -m training` is `spades`."""

import sys

from training.cli import main

sys.exit(main())
