"""Selecting, merging and showing the runs of a store.

    from tailback.analysis import merged, where, select

    runs = store.runs()                                   # an Arrow table, one row per run
    slow = where(runs, "sync == 'asynchronous' and compute_period < 20 us")
    select(merged(slow), ["compute_period", "mode", "theta_r"])

* `names`: fields as users write them;
* `conditions`: `where`, in the language of expressions;
* `groups`: runs that differ only in parameters to merge over, such as the seed;
* `merging`: their estimates merged into one;
* `distributions`: their exact moments and percentiles;
* `tables`: all of it for `tailback table`;
* `channels`: virtual channels of the routings compared;
* `message_rows`: messages and flows of single runs, likewise.
"""

from __future__ import annotations

from .channels import channels_by_routing, channels_text
from .conditions import where
from .distributions import merged_moments, merged_percentiles
from .merging import merged
from .message_rows import flows_of, messages
from .names import column_named, ordered, select
from .tables import table

__all__ = [
    "channels_by_routing",
    "channels_text",
    "column_named",
    "flows_of",
    "merged",
    "merged_moments",
    "merged_percentiles",
    "messages",
    "ordered",
    "select",
    "table",
    "where",
]
