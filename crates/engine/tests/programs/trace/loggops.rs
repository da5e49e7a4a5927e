//! Ranks without a network, by hand. The classic schedules are in the tests of the readers.

use super::cases::random_ranks;
use super::programs::*;
use super::*;
use crate::common::random::random_cases;
use tailback_engine::measure::causes::Part;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::workload::trace::{self, After, Batch, What};

/// L = 100, o = 10, g = 7, G = 2, O = 1 ns, S = 50 B.
fn without_network() -> Spec {
    let law = LogGops {
        latency_ps: 100 * NS,
        overhead_ps: 10 * NS,
        gap_ps: 7 * NS,
        gap_per_byte_fs: 2_000_000,
        overhead_per_byte_fs: 1_000_000,
        eager_bytes: 50,
    };
    let machine = Machine { loggops: Some(law), ..machine(4) };
    spec(machine, one_on_each(4), Mode::Full, Fidelity::Packet)
}

fn ends_of(ranks: &[Rank]) -> Vec<u64> {
    done(&run(&without_network(), ranks).unwrap_or_else(|error| panic!("{error}")))
}

/// The sender's CPU: o + 20 O. The receiver's: from o + L on, o + 20 G.
#[test]
fn one_message() {
    let ranks = [Rank::in_order(&[send(1, 21, 0)]), Rank::in_order(&[receive(0, 0), compute(3)])];
    assert_eq!(
        ends_of(&[&ranks[..], &[Rank::default(), Rank::default()]].concat()),
        [30, 163, 0, 0]
    );
}

/// Of three messages at once the second waits for the first one's o + 20 G, and so on.
#[test]
fn a_receiver_takes_one_after_the_other() {
    let sends = || Rank::in_order(&[send(0, 21, 0)]);
    let receives = Rank::in_order(&[ANY, ANY, ANY]);
    assert_eq!(ends_of(&[receives, sends(), sends(), sends()]), [110 + 3 * 50, 30, 30, 30]);
}

/// The sender of a long message goes on when it is taken, at 500 here.
#[test]
fn a_rendezvous_waits_for_the_receive() {
    let sends = Rank::in_order(&[send(1, 51, 0), compute(5)]);
    let receives = Rank::in_order(&[compute(500), receive(0, 0)]);
    let idle = Rank::default;
    // The receive is released when the computing before it begins, so it is first at 500: before the
    // message, which has waited for the CPU since 110 and then has it for o + 50 G.
    assert_eq!(ends_of(&[sends, receives, idle(), idle()]), [505, 610, 0, 0]);
}

/// Two rounds of 2 o + L: what is sent in the second is sent when the first has been received.
#[test]
fn a_barrier_is_messages() {
    let method = Some(Method::Algorithm(Algorithm::Dissemination));
    let call = Collective { method, ..Collective::new(Operation::Barrier, 0) };
    let rank = || Rank::default().together(call.clone());
    assert_eq!(ends_of(&[rank(), rank(), rank(), rank()]), [240; 4]);
}

/// The run of four ranks, the last of which may do nothing, with all kept that can be.
fn watched(spec: &Spec, ranks: &[Rank]) -> Simulation {
    let timeline = Some(Timeline { window_ps: None, processes: None, turns: None });
    let causes = Some(Causes { slack: true, timeline });
    let ranks: Vec<_> = ranks.iter().cloned().chain(vec![Rank::default(); 4]).take(4).collect();
    run(&Spec { causes, ..spec.clone() }, &ranks).unwrap_or_else(|error| panic!("{error}"))
}

/// Pieces of the path: what, who can go on at the end of its segment, how long in ns.
fn path_of(simulation: &Simulation) -> Vec<(Part, u32, u64)> {
    let path = simulation.measures().causes.as_ref().unwrap().path();
    path.iter().map(|step| (step.part, step.process.0, step.time / NS)).collect()
}

/// Where the time of a rank went, in ns.
fn times_of(simulation: &Simulation, rank: usize) -> Vec<(Part, u64)> {
    let causes = simulation.measures().causes.as_ref().unwrap();
    let parts = causes.parts(causes.makespan())[rank];
    let parts = Part::ALL.iter().map(|&(part, _)| (part, parts[part as usize] / NS));
    parts.filter(|&(_, time)| time > 0).collect()
}

/// Of 21 B: `o` at the sender, `L`, and at the receiver `o + 20 O` of software and `20 (G - O)` for
/// which bytes are longer.
#[test]
fn the_way_of_a_message_is_divided() {
    let ranks = [Rank::in_order(&[send(1, 21, 0)]), Rank::in_order(&[receive(0, 0), compute(3)])];
    let run = watched(&without_network(), &ranks);
    let expected = [
        (Part::Sending, 1, 10),
        (Part::Own, 1, 100),
        (Part::Receiving, 1, 30),
        (Part::Own, 1, 20),
        (Part::Computing, 1, 3),
    ];
    assert_eq!(path_of(&run), expected);
    assert_eq!(times_of(&run, 0), [(Part::Sending, 30), (Part::Idle, 133)]);
    let expected =
        [(Part::Computing, 3), (Part::Sending, 10), (Part::Receiving, 30), (Part::Own, 120)];
    assert_eq!(times_of(&run, 1), expected);
    let slack = run.measures().causes.as_ref().unwrap().slack().unwrap();
    assert_eq!((slack[0].least, slack[0].of_end, slack[1].of_end), (0, 133 * NS, 0));
}

/// All are there at 110: the last waits for 50 of each of the others.
#[test]
fn who_comes_at_once_waits_for_the_receiver() {
    let sends = || Rank::in_order(&[send(0, 21, 0)]);
    let ranks = [Rank::in_order(&[ANY, ANY, ANY]), sends(), sends(), sends()];
    let expected = [
        (Part::Sending, 0, 10),
        (Part::Own, 0, 100),
        (Part::Processor, 0, 50),
        (Part::Processor, 0, 50),
        (Part::Receiving, 0, 30),
        (Part::Own, 0, 20),
    ];
    let run = watched(&without_network(), &ranks);
    assert_eq!(path_of(&run), expected);
    let numbers: Vec<_> = run.measures().causes.as_ref().unwrap().path();
    let numbers: Vec<_> = numbers.iter().filter_map(|step| step.message).collect();
    assert_eq!(numbers, [0, 0, 1, 2]);
}

/// The second leaves once the interface has sent the first, at g + 20 G = 47: the CPU is free at 30.
#[test]
fn a_sender_waits_for_its_interface() {
    let receives = || Rank::in_order(&[receive(0, 0)]);
    let ranks = [Rank::in_order(&[send(1, 21, 0), send(2, 21, 0)]), receives(), receives()];
    let expected = [
        (Part::Sending, 0, 30),
        (Part::Processor, 0, 17),
        (Part::Sending, 2, 10),
        (Part::Own, 2, 100),
        (Part::Receiving, 2, 30),
        (Part::Own, 2, 20),
    ];
    let run = watched(&without_network(), &ranks);
    assert_eq!(path_of(&run), expected);
    let expected = [(Part::Processor, 17), (Part::Sending, 60), (Part::Idle, 130)];
    assert_eq!(times_of(&run, 0), expected);
}

/// The second is there at 157, while the first is taken in until 160: it waits for 3.
#[test]
fn what_is_taken_in_before_a_message_comes_is_no_wait() {
    let sends = Rank::in_order(&[send(1, 21, 0), send(1, 21, 0)]);
    let expected = [
        (Part::Sending, 1, 10),
        (Part::Own, 1, 100),
        (Part::Receiving, 1, 30),
        (Part::Processor, 1, 3),
        (Part::Own, 1, 17),
        (Part::Receiving, 1, 30),
        (Part::Own, 1, 20),
    ];
    let ranks = [sends, Rank::in_order(&[receive(0, 0), receive(0, 0)])];
    assert_eq!(path_of(&watched(&without_network(), &ranks)), expected);
}

/// Its receiver computes until 500: that is critical, and the sender's partner is late for 440.
#[test]
fn a_late_receiver_is_critical() {
    let sends = Rank::in_order(&[send(1, 51, 0), compute(5)]);
    let ranks = [sends, Rank::in_order(&[compute(500), receive(0, 0)])];
    let run = watched(&without_network(), &ranks);
    let expected = [(Part::Computing, 1, 500), (Part::Receiving, 1, 60), (Part::Own, 1, 50)];
    assert_eq!(path_of(&run), expected);
    let expected =
        [(Part::Computing, 5), (Part::Sending, 60), (Part::Partner, 440), (Part::Idle, 105)];
    assert_eq!(times_of(&run, 0), expected);
}

#[test]
fn all_time_is_put_down_to_something() {
    for case in 0..random_cases(1_000) as u32 {
        let mut draw = Stream::new(11, Purpose::Start, case);
        let count = 2 + draw.below(3);
        let ranks = random_ranks(&mut draw, count);
        let spec = without_network();
        let all: Vec<_> = ranks.iter().cloned().chain(vec![Rank::default(); 4]).take(4).collect();
        let Ok(plain) = run(&spec, &all) else { continue };
        let run = watched(&spec, &ranks);
        assert_eq!(run.measures().completed, plain.measures().completed, "case {case}");
        let causes = run.measures().causes.as_ref().unwrap();
        let makespan = *run.measures().completed.iter().max().unwrap();
        assert_eq!(causes.makespan(), makespan, "case {case}");
        let path = causes.path();
        assert_eq!(path.iter().map(|step| step.time).sum::<u64>(), makespan, "case {case}");
        for parts in causes.parts(makespan) {
            assert_eq!(parts.iter().sum::<u64>(), makespan, "case {case}");
        }
        let least = causes.slack().unwrap().iter().map(|slack| slack.least).min();
        assert_eq!(least, Some(0), "case {case}");
    }
}

#[test]
fn what_never_ends_is_told() {
    let told = |ranks: &[Rank]| {
        let ranks: Vec<_> = ranks.iter().cloned().chain(vec![Rank::default(); 4]).take(4).collect();
        run(&without_network(), &ranks).err().expect("it cannot end").to_string()
    };
    let sends = Rank::in_order(&[send(1, 8, 3)]);
    assert_eq!(
        told(std::slice::from_ref(&sends)),
        "rank 1: 1 message from rank 0, tag 3, 8 B that nobody received"
    );
    let text = told(&[sends, Rank::in_order(&[receive(0, 4)])]);
    assert!(
        text.contains("a message from rank 0, tag 4 (operation 0); at it: 1 message"),
        "{text}"
    );
    let around = |to: u32| Rank::in_order(&[send(to, 99, 5), receive(to, 5)]);
    let text = told(&[around(1), around(0)]);
    assert!(text.starts_with("deadlock of rendezvous sends"), "{text}");
}

#[test]
fn what_needs_a_network_is_refused() {
    let text = |spec: Spec| Simulation::new(&spec).err().expect("it is refused").to_string();
    let allowed = "with machine.loggops: there is no network";
    assert_eq!(
        text(Spec { mode: Mode::Free, ..without_network() }),
        format!("run.mode = free: must be full {allowed}")
    );
    assert_eq!(
        text(Spec { workload: Workload::Messages(Messages::default()), ..without_network() }),
        format!("workload.kind = another: must be trace {allowed}")
    );
}

/// Nothing of an operation is left to be said that has no time.
#[test]
fn joins_take_no_time() {
    let rank = Rank::in_order(&[What::Join, compute(5), What::Join]);
    assert_eq!(ends_of(&[rank, Rank::default(), Rank::default(), Rank::default()]), [5, 0, 0, 0]);
}

/// A rank that computes on its second CPU, sends from its third, and one that receives and computes on
/// its second: as readers make it of what a GPU does.
fn beside_each_other() -> [Rank; 4] {
    let sends = Rank::default().on(compute(1000), 1, &[]).on(send(1, 21, 0), 2, &[(1, false)]);
    let receives = Rank::default().on(receive(0, 0), 1, &[]).on(compute(1000), 1, &[(1, false)]);
    [sends, receives, Rank::default(), Rank::default()]
}

/// What is behind a computation of another CPU waits until it is over, and what is behind a receive
/// until the CPU that takes the message in is through: 1000, o + L, o + 20 G, 1000.
#[test]
fn what_another_cpu_does_is_waited_for() {
    assert_eq!(ends_of(&beside_each_other()), [1030, 1000 + 110 + 50 + 1000, 0, 0]);
    let expected = [
        (Part::Computing, 0, 1000),
        (Part::Sending, 1, 10),
        (Part::Own, 1, 100),
        (Part::Receiving, 1, 30),
        (Part::Own, 1, 20),
        (Part::Computing, 1, 1000),
    ];
    assert_eq!(path_of(&watched(&without_network(), &beside_each_other())), expected);
}

/// Also by way of what takes no time, from a receive that is posted late, and behind the beginning of
/// something: a clock on the second CPU, 300 ns after another tick.
#[test]
fn what_waits_by_way_of_others_waits_too() {
    let rank = Rank::default()
        .on(compute(200), 1, &[])
        .on(compute(300), 1, &[(1, false)])
        .on(What::Join, 2, &[(1, false)])
        .on(compute(40), 0, &[(1, false)])
        .on(compute(5), 3, &[(3, true)]);
    let idle = Rank::default;
    // 200 + 300 on the second; the first from 500 on, and the fourth from 200 on.
    assert_eq!(ends_of(&[rank.clone(), idle(), idle(), idle()]), [540, 0, 0, 0]);
    let alone = Rank::default().on(compute(200), 1, &[]).on(compute(300), 1, &[(1, false)]).on(
        compute(400),
        3,
        &[(1, true)],
    );
    assert_eq!(ends_of(&[alone, idle(), idle(), idle()]), [600, 0, 0, 0]);
}

/// The next batch of a rank is read when the computation has begun, and begins when it is over.
#[test]
fn what_is_read_late_waits_for_another_cpu() {
    let mut rank = Rank::default().on(compute(200), 1, &[]);
    let after = vec![After { back: 1, begun: false }];
    let later = trace::Operation::new(compute(30), 1);
    rank.batches.push(Batch { operations: vec![later], after, ..Batch::default() });
    let idle = Rank::default;
    assert_eq!(ends_of(&[rank, idle(), idle(), idle()]), [230, 0, 0, 0]);
}
