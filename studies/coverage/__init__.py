"""How often intervals contain the truth, on systems whose truth is known."""
