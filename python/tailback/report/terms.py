"""The glossary of a report: each term in one line. `docs/glossary.md` says more."""

TERMS: tuple[tuple[str, str], ...] = (
    ("point", "One experiment with one seed, run in several contention modes."),
    (
        "contention mode",
        "How much contention is simulated; workload and random numbers are the same in all.",
    ),
    ("full", "The mode of the real network: one packet at a time on a channel, finite buffers."),
    ("endpoints", "The mode in which packets wait only for channels between nodes and switches."),
    ("throttled", "The mode in which packets wait only for their first internal channel."),
    ("free", "The mode in which no packet ever waits for another."),
    ("ideal", "The mode in which a message arrives when it is sent."),
    ("baseline", "The mode that full is compared with (run.baseline)."),
    (
        "theta_r",
        "Messages sent per time, full over baseline: what contention leaves of the speed; 1: all.",
    ),
    (
        "theta_t",
        "Mean routed lifetime, baseline over full: how much contention there is; 1 means none.",
    ),
    (
        "theta_c",
        "Completion time of a workload that ends, baseline over full: what contention leaves of "
        "its speed; 1: all.",
    ),
    ("theta_…_network", "The same with the baseline endpoints: what the network costs."),
    ("theta_…_endpoints", "From free to endpoints: what the links of nodes cost."),
    ("lifetime", "Of a packet: from its creation (queued at its source) to its delivery."),
    ("network lifetime", "From the start of a packet's first transmission to its delivery."),
    (
        "routed lifetime",
        "From the start of its transmission on its first internal channel to its delivery.",
    ),
    (
        "message latency",
        "From the send instruction until the message has been received completely.",
    ),
    (
        "throttling",
        "Waiting before the first internal channel: in the node, or at the first switch.",
    ),
    ("internal contention", "Waiting for any later channel, the last one to the node included."),
    (
        "internal channel",
        "From a switch to a switch; injection and ejection channels join nodes and switches.",
    ),
    ("utilisation", "Share of time a channel transmits, or a processor computes."),
    (
        "held",
        "Share of time a channel transmits, or is kept by a packet that waits for room.",
    ),
    ("settled", "The start-up transient was found to be over, and no drift was seen later."),
    (
        "interval",
        "Confidence interval of a mean, from batches of a run and from seeds; usually 95 %.",
    ),
    ("p50, p90, p99", "Times that 50, 90 and 99 % of packets do not exceed."),
)
