"""Published experiments run again, one package per source."""
