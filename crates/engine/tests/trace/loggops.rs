//! Ranks without a network, by hand. The classic schedules are in the tests of the readers.

use super::programs::*;
use super::*;
use tailback_engine::workload::trace::What;

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
