"""How an experiment is run: seed, contention mode, fidelity and stop rule."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from ..errors import UserError, nearest, shown
from ..machines import Fidelity
from ..metrics import STEERING
from ..parts import Part, key
from ..units import Memory, Time

FidelityOrAuto = Literal["auto", Fidelity]
Mode = Literal["full", "endpoints", "throttled", "free", "ideal"]
Baseline = Literal["endpoints", "throttled", "free", "ideal"]


def _known_metric(name: object) -> object:
    """Refuse what is no metric in one line, with the nearest."""
    if name is not None and name not in STEERING:
        found = nearest(name, STEERING)
        allowed = "must be the name of a metric (docs/store.md lists them)"
        raise UserError("", shown(name), allowed, found and f'"{found}"')
    return name


Metric = Annotated[
    str, BeforeValidator(_known_metric), Field(json_schema_extra={"enum": list(STEERING)})
]


class Run(Part, init=False):
    """How an experiment is run: seed, contention mode, fidelity and stop rule."""

    section: ClassVar[str] = "run"
    removed: ClassVar[dict[str, str]] = {
        "blame_roots": "is no key any more: blame is of root culprits and root channels, always"
    }
    seed: int = key(
        engine="/seed", default=1, ge=0, lt=2**63, description="Seed of every random stream."
    )
    mode: Mode = key(
        engine="/mode",
        default="full",
        description="Contention simulated: all, only for channels between nodes and switches "
        "(endpoints), only before the first internal channel (throttled), none (free), or no "
        "communication cost at all (ideal).",
    )
    baseline: Baseline = key(
        default="endpoints",
        description="The mode that full is compared with: what theta_r, theta_t and theta_c "
        "divide by, or are divided by. With a T9000 as preset: throttled.",
    )
    fidelity: FidelityOrAuto | None = key(
        engine="/fidelity",
        default=None,
        description="How finely channels are simulated: every token (token), every flit (flit, "
        "or worm, which is faster), streams (stream, superseded by worm), whole packets "
        "(packet) or messages that share links max-min fairly (fluid: an estimate, without "
        "buffers and arbitration); auto: the cheapest that is exact for the machine, never fluid; "
        "default: auto, but packet where flow control is in band.",
    )
    duration: Time | None = key(
        also="time sim_time simulation_time simulated_time cycles",
        default=None,
        description="Simulated time, warm-up included, after which the run ends at the latest; "
        "exactly then if no precision is given.",
    )
    precision: float | None = key(
        default=None,
        gt=0,
        lt=1,
        description="The run ends when the metric's interval is at most this share of its value "
        "to either side; default: 0.01 unless a duration is given or the workload ends by itself.",
    )
    confidence: float = key(
        default=0.95, between=(0.5, 0.9999), description="Confidence of the intervals."
    )
    metric: Metric | None = key(
        default=None,
        description="What must be precise, any metric that is measured (docs/store.md); default: "
        "messages_per_node_per_ms, or "
        "iterations_per_node_per_ms for workloads without messages.",
    )
    warmup: Time | None = key(
        default=None,
        description="Simulated time cut from the start; default: found from the data, "
        "or 0 if the workload ends by itself.",
    )
    sample_interval: Time | None = key(
        engine="/sample_interval_ps",
        default=None,
        description="Simulated time between samples of the counters; default: chosen. Of workloads "
        "that end by themselves there are at most 4,096 samples and 64 for each event: once there "
        "are as many, a stretch in which nothing happens has one at its end.",
    )
    blame: bool = key(
        default=False,
        description="Whether it is found how late messages are, compared with alone, and the "
        "lateness of each is charged to the traffic that caused it (docs/answer.md).",
    )
    blame_share: float = key(
        default=1.0,
        between=(0.0001, 1),
        description="Share of all messages whose lateness is charged (run.blame), chosen by the "
        "seed: estimates, sooner.",
    )
    blame_memory: Memory = key(
        default=Memory(10**9),
        description="With blame: bytes that may be taken to follow who makes messages wait. What "
        "messages that are under way for longer than there is memory for waited for is not known: "
        "they are as late as they are, and it is counted as unattributed.",
    )
    packet_waits: bool = key(
        shown="given",
        default=False,
        description="With blame: whether it is kept, too, what packets waited for, by place and "
        "cause: sums over packets, which are not what messages lost by it. In modes throttled and "
        "ideal these are all there is, and kept always.",
    )
    slices: int | None = key(
        shown="given",
        default=None,
        between=(1, 100_000),
        description="With blame: for at most so many slices of time it is kept how many packets "
        "waited for each channel, where their waits had their roots, and how long channels "
        "transmitted. There are at least half as many, unless the run is short "
        "(docs/command-line.md).",
    )
    keep_messages: bool = key(
        shown="given",
        default=False,
        description="Whether there is a table of all messages: who sent it to whom, how long it "
        "was, when it was sent, arrived and was received, how long it takes alone, and how late it "
        "was. Of more than 1,048,576 every second is "
        "in it, of more than twice as many every fourth, and so on.",
    )
    critical_path: bool = key(
        shown="given",
        default=False,
        description="Whether it is found what the end of the program waited for, and where the "
        "time of its processes went (docs/critical-path.md).",
    )
    slack: bool = key(
        default=False,
        description="With critical_path: whether it is found how much later every process could "
        "have been. Takes memory for all that happens.",
    )
    title: str | None = key(
        shown="given",
        default=None,
        min_length=1,
        max_length=200,
        description="What pages and pictures of the results are called; default: what was run.",
    )
    max_duration: Time = key(
        default=Time(10**12), description="Limit in simulated time when no duration is given."
    )
    max_events: int = key(
        default=5_000_000_000,
        ge=1,
        lt=2**63,
        description="Limit in events, and in samples, always.",
    )

    def _check(self) -> None:
        for name in ("duration", "sample_interval", "max_duration"):
            if getattr(self, name) == Time(0):
                raise self.refused(name, "must be above zero", "0 s")
        if self.critical_path and self.blame_share < 1:
            allowed = "must be 1 with critical_path: the waits of all messages are charged then"
            raise self.refused("blame_share", allowed)
        if self.packet_waits and not self.blame:
            raise self.refused("packet_waits", "needs blame = true")
        if self.slices is not None and not self.blame:
            raise self.refused("slices", "needs blame = true")
        if self.slack and not self.critical_path:
            raise self.refused("slack", "needs critical_path = true")
        if self.title is not None and not self.title.strip():
            raise self.refused("title", "must not be blank")
        times = (self.duration, self.warmup, self.sample_interval, self.max_duration)
        if any(time is not None and time.cycles is not None for time in times):
            return  # times in cycles are compared when they are times
        self._check_longest()
        if self.warmup is not None and self.warmup.ps >= self.limit_ps:
            limit = "duration" if self.duration else "max_duration"
            allowed = f"must be less than run.{limit} = {Time(self.limit_ps)}"
            raise self.refused("warmup", allowed)
        if self.sample_interval is not None and self.sample_interval.ps > self.limit_ps:
            allowed = f"must be at most the longest run, {Time(self.limit_ps)}"
            raise self.refused("sample_interval", allowed)

    def _check_longest(self) -> None:
        both_given = self.duration is not None and "max_duration" in self.named()
        if both_given and self.limit_ps > self.max_duration.ps:
            allowed = f"must be at most run.max_duration = {self.max_duration}"
            raise self.refused("duration", allowed)

    @property
    def limit_ps(self) -> int:
        """The run ends at this simulated time at the latest."""
        return self.max_duration.ps if self.duration is None else self.duration.ps
