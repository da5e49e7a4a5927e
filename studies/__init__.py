"""Published experiments run again, one package per source; and how far to trust intervals."""
