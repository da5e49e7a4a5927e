"""`python -m tailback`, and the command `tailback`."""

import os
import signal

# Before all else is imported, which takes longer than some need to press Ctrl-C: nothing is under
# way, so that there is nothing to say.
signal.signal(signal.SIGINT, lambda *_: os._exit(130))

from tailback.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
