"""One module per table or claim of the thesis; `contents` has all of them."""
