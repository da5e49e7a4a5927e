"""Results that can be sent on: what was asked for, kept with them, and packs of one file.

What reads packs (`packs`) does without experiments, whose import takes 240 ms; `asked` needs them.
"""
