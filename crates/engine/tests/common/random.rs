//! Random cases: how many are tried, and what is told of one that fails.
//!
//! Of a case that fails, the smallest is looked for that still fails at the same line, and
//! told as JSON with what that line says; with `same_packets` that is a table of the first
//! packet that differs.

pub use super::dice::Dice;
use super::smaller;
use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use tailback_engine::spec::Spec;
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Progress, Simulation};

/// One of so many cases is tried every day.
const EVERY_DAY: u64 = 10;
/// Smaller cases that are tried before the smallest so far is told.
const TRIES: usize = 3_000;

/// How many cases to try: so many times `all` as `TAILBACK_CASES` says, else a few of them.
pub fn random_cases(all: u64) -> u64 {
    let times = std::env::var("TAILBACK_CASES").map(|text| text.parse::<u64>());
    times.map_or(all.div_ceil(EVERY_DAY), |times| {
        all * times.expect("TAILBACK_CASES is a whole number")
    })
}

/// What is the least that all cases must come to, for as many as are tried.
pub fn in_proportion(all: u64) -> u64 {
    random_cases(all)
}

/// Where and with what words a check failed.
struct Failure {
    place: String,
    text: String,
}

/// Checks a random case; if that panics, panics with the smallest case that still does.
pub fn check<T>(case: u64, spec: &Spec, check: impl Fn(&Spec) -> T) -> T {
    let first = match caught(|| check(spec)) {
        Ok(answer) => return answer,
        Err(failure) => failure,
    };
    let (smallest, failure) = smallest(spec, first, &check);
    let json = serde_json::to_string(&smallest).expect("a specification is JSON");
    let Failure { place, text } = failure;
    panic!("case {case} fails at {place}; the smallest that does:\n{json}\n\n{text}");
}

/// The smallest case, found step by step, that fails in the same place.
fn smallest<T>(spec: &Spec, first: Failure, check: &impl Fn(&Spec) -> T) -> (Spec, Failure) {
    let (mut spec, mut failure) = (spec.clone(), first);
    let mut left = TRIES;
    loop {
        let mut candidates = smaller::than(&spec).into_iter().take(left);
        let next = candidates.find_map(|candidate| {
            left -= 1;
            // What may not be simulated at all is no case.
            Simulation::new(&candidate).ok()?;
            let failed = caught(|| check(&candidate)).err()?;
            (failed.place == failure.place).then_some((candidate, failed))
        });
        let Some(found) = next else { return (spec, failure) };
        (spec, failure) = found;
    }
}

thread_local! {
    static IS_CATCHING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What a check answers, or how it failed, of which nothing is printed.
fn caught<T>(check: impl FnOnce() -> T) -> Result<T, Failure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_CATCHING.get() {
                let place = info.location().map(ToString::to_string);
                PLACE.set(place.unwrap_or_default());
            } else {
                usual(info);
            }
        }));
    });
    IS_CATCHING.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(check));
    IS_CATCHING.set(false);
    done.map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        Failure { place: PLACE.take(), text: text.unwrap_or_default() }
    })
}

/// A simulation run to its end in pieces of so many events, which must change nothing.
#[track_caller]
pub fn finished(spec: &Spec, piece: u64) -> Simulation {
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    let mut progress = Progress::Events;
    while progress == Progress::Events {
        progress = simulation.advance(Time::MAX, piece).unwrap_or_else(|e| panic!("{e}: {spec:?}"));
    }
    assert_eq!(progress, Progress::Finished);
    simulation
}

/// Panics with a table if packets differ from those that are expected, in whatever order.
#[track_caller]
pub fn same_packets_in_any_order(mut expected: Vec<PacketRow>, mut engine: Vec<PacketRow>) {
    for rows in [&mut expected, &mut engine] {
        rows.sort_by_key(|row| {
            (row.message, row.queued, row.first_sent, row.first_internal, row.delivered, row.bytes)
        });
    }
    same_packets(&expected, &engine);
}

/// A packet as a column of a table.
pub trait Cells: PartialEq {
    /// Names and values, always the same names.
    fn cells(&self) -> Vec<(&'static str, String)>;
}

impl Cells for PacketRow {
    fn cells(&self) -> Vec<(&'static str, String)> {
        vec![
            ("class", format!("{:?}", self.class)),
            ("message", self.message.to_string()),
            ("source", self.source.to_string()),
            ("destination", self.destination.to_string()),
            ("bytes", self.bytes.to_string()),
            ("hops", self.hops.to_string()),
            ("queued, ps", self.queued.to_string()),
            ("first sent, ps", self.first_sent.to_string()),
            ("first internal, ps", self.first_internal.to_string()),
            ("delivered, ps", self.delivered.to_string()),
        ]
    }
}

/// Panics with a table if packets differ from those that are expected, in the same order.
#[track_caller]
pub fn same_packets<P: Cells>(expected: &[P], engine: &[P]) {
    let differ = (0..expected.len().max(engine.len())).find(|&i| expected.get(i) != engine.get(i));
    if let Some(i) = differ {
        panic!("{}", table(i, [expected, engine]));
    }
}

/// The first packet that differs, a line for each of its columns.
fn table<P: Cells>(number: usize, sides: [&[P]; 2]) -> String {
    let [expected, engine] = sides.map(|side| side.get(number).map(Cells::cells));
    let names = expected.as_ref().or(engine.as_ref()).expect("one of them has it");
    let of = |side: &Option<Vec<(&str, String)>>, line: usize| {
        side.as_ref().map_or("-".to_string(), |cells| cells[line].1.clone())
    };
    let counts = sides.map(<[P]>::len);
    let mut text = format!("{:20} {:>20} {:>20}\n", "", "expected", "engine");
    writeln!(text, "{:20} {:>20} {:>20}", "packets", counts[0], counts[1]).unwrap();
    writeln!(text, "the first that differs is number {number}").unwrap();
    for (line, (name, _)) in names.iter().enumerate() {
        let [expected, engine] = [of(&expected, line), of(&engine, line)];
        let mark = if expected == engine { "" } else { "  <--" };
        writeln!(text, "{name:20} {expected:>20} {engine:>20}{mark}").unwrap();
    }
    text
}
