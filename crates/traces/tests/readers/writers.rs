//! What is written is read again as what it was.

use crate::common::{Folder, Numbers, mistake, opened, rank, sample, texts, whole};
use std::path::{Path, PathBuf};
use tailback_engine::workload::trace::{Batch, Filter, What};
use tailback_traces::writers::{Target, Writing, Written, convert};
use tailback_traces::{Format, Mistake, Source};

const GOAL: Target = Target::Format(Format::Goal);
const BINARY: Target = Target::Format(Format::GoalBinary);
const TI: Target = Target::Format(Format::Ti);
const OWN: Target = Target::Format(Format::Stored);

fn written(from: &Path, target: Target, to: &Path) -> Result<Written, Mistake> {
    let writing = Writing { flops: Some(1e9) };
    convert(&mut *opened(from), target, to, writing, &mut |_| true).map(Option::unwrap)
}

fn all(source: &mut dyn Source) -> Vec<Vec<String>> {
    (0..source.ranks()).map(|number| rank(source, number)).collect()
}

/// All batches of all ranks, and what their receives expect.
fn batches(source: &mut dyn Source) -> Vec<(Batch, Vec<u64>)> {
    let mut batches = Vec::new();
    for rank in 0..source.ranks() {
        loop {
            let mut batch = Batch::default();
            if !source.next(rank, &mut batch).unwrap() {
                break;
            }
            batches.push((batch, source.expected().to_vec()));
        }
    }
    batches
}

const SAMPLES: [&str; 7] = [
    "goal/wildcard.goal",
    "goal/allreduce_ring_8_1m.bin",
    "goal/dissemination_16_1b.goal",
    "simgrid_ti/nas_is_s_4/files.txt",
    "simgrid_ti/plain/inc.files",
    "chakra/all_reduce.0.et",
    "netrace/example.tra.bz2",
];

#[test]
fn our_own_form_keeps_everything() {
    let folder = Folder::new();
    let to = folder.path().join("own");
    for name in SAMPLES {
        let from = sample(name);
        let counted = written(&from, OWN, &to).unwrap();
        let (mut before, mut after) = (opened(&from), opened(&to));
        let (expected, found) = (batches(&mut *before), batches(&mut *after));
        assert_eq!(before.ranks(), after.ranks());
        let operations: usize = expected.iter().map(|(batch, _)| batch.operations.len()).sum();
        assert_eq!(counted.operations, operations as u64, "{name}");
        let plain = |(batch, expected): &(Batch, Vec<u64>)| {
            let calls: Vec<_> = batch.operations.iter().map(|operation| operation.call).collect();
            (texts(batch), calls, expected.iter().filter(|&&bytes| bytes > 0).count())
        };
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(plain(found), plain(expected), "{name}");
            assert_eq!(found.0.collectives, expected.0.collectives);
        }
        assert_eq!(before.calls(), after.calls());
    }
}

#[test]
fn goal_goes_through_its_binary_and_back() {
    let folder = Folder::new();
    let (binary, text) = (folder.path().join("binary"), folder.path().join("text"));
    for name in ["wildcard", "allreduce_ring_8_1m", "reduce_binomial_8_1k"] {
        let from = sample(&format!("goal/{name}.goal"));
        written(&from, BINARY, &binary).unwrap();
        written(&binary, GOAL, &text).unwrap();
        let expected = all(&mut *opened(&from));
        assert_eq!(all(&mut *opened(&binary)), expected, "{name}");
        assert_eq!(all(&mut *opened(&text)), expected, "{name}");
    }
}

/// The binary that `txt2bin` makes of the same text, byte by byte.
#[test]
fn binaries_are_those_of_loggopsim() {
    let folder = Folder::new();
    let to = folder.path().join("binary");
    for name in ["wildcard", "allreduce_ring_8_1m"] {
        written(&sample(&format!("goal/{name}.goal")), BINARY, &to).unwrap();
        let expected = std::fs::read(sample(&format!("goal/{name}.bin"))).unwrap();
        assert!(std::fs::read(&to).unwrap() == expected, "{name}");
    }
}

#[test]
fn actions_of_simgrid_come_back() {
    let folder = Folder::new();
    let to = folder.path().join("actions");
    for name in ["nas_is_s_4/files.txt", "plain/inc.files", "plain/p2p.files"] {
        let from = sample(&format!("simgrid_ti/{name}"));
        written(&from, TI, &to).unwrap();
        assert_eq!(all(&mut *opened(&to)), all(&mut *opened(&from)), "{name}");
    }
    let text = "0 isend 1 5 8\n0 irecv 1 6 8\n0 compute 7\n0 wait 0 1 5\n0 sleep 0.5\n0 waitall\n\
                0 gatherv 4 4 5 1\n0 reducescatter 1 2 0\n0 alltoallv 3 1 2 3 2 1\n1 init\n";
    let from = folder.file("from", text);
    written(&from, TI, &to).unwrap();
    assert_eq!(all(&mut *opened(&to)), all(&mut *opened(&from)));
}

#[test]
fn lists_have_the_messages_that_depend_on_no_other() {
    let folder = Folder::new();
    let text = "num_ranks 2\nrank 0 {\na: calc 5\nb: send 8b to 1\nb requires a\nc: calc 7\n\
                d: send 9b to 1 tag 3\nd requires c\n}\nrank 1 {\nrecv 8b from 0\nsend 1b to 0\n}\n";
    let to = folder.path().join("list.csv");
    written(&folder.file("from", text), Target::Messages, &to).unwrap();
    let expected = "time_ps,source,destination,bytes\n5000,0,1,8\n12000,0,1,9\n0,1,0,1\n";
    assert_eq!(std::fs::read_to_string(&to).unwrap(), expected);
}

/// Three ranks meet: by dissemination, in two rounds, each sends to the next and then to the one
/// after that. What follows is after the last.
#[test]
fn collectives_become_messages_in_goal() {
    let folder = Folder::new();
    let text = "0 sleep 1\n0 barrier\n0 sleep 2\n1 barrier\n2 barrier\n";
    let (from, to) = (folder.file("from", text), folder.path().join("to.goal"));
    let told = written(&from, GOAL, &to).unwrap();
    assert_eq!((told.messages, told.collectives), (6, 0));
    assert!(told.notes[0].contains("3 parts of ranks"), "{:?}", told.notes);
    let text = std::fs::read_to_string(&to).unwrap();
    let first = text.split("rank 1").next().unwrap();
    let lines: Vec<_> = first.lines().filter(|line| !line.contains("requires")).collect();
    assert_eq!(
        lines[4..],
        [
            "l1: send 1b to 1 tag 3221225472",
            "l2: recv 1b from 2 tag 3221225472",
            "l3: calc 0",
            "l4: send 1b to 2 tag 3221225473",
            "l5: recv 1b from 1 tag 3221225473",
            "l6: calc 0",
            "l7: calc 0",
            "l8: calc 2000000000",
            "}",
            "",
        ]
    );
    for line in ["l1 requires l0", "l3 requires l1", "l3 requires l2", "l5 requires l3"] {
        assert!(first.lines().any(|other| other == line), "{line}: {first}");
    }
    assert!(first.contains("l8 requires l7"));
}

/// A whole program with collectives of several kinds: read again, each message has its receive.
#[test]
fn messages_of_collectives_match() {
    let folder = Folder::new();
    let to = folder.path().join("nas.bin");
    let told = written(&sample("simgrid_ti/nas_is_s_4/files.txt"), BINARY, &to).unwrap();
    assert_eq!(told.collectives, 0);
    let mut source = opened(&to);
    let mut open = std::collections::HashMap::<_, i64>::new();
    for rank in 0..source.ranks() {
        let mut batch = Batch::default();
        while source.next(rank, &mut batch).unwrap() {
            for operation in batch.operations.drain(..) {
                match operation.what {
                    What::Send(sent) => *open.entry((rank, sent.to, sent.tag)).or_default() += 1,
                    What::Receive(Filter { from: Some(from), tag: Some(tag), .. }) => {
                        *open.entry((from, rank, tag)).or_default() -= 1;
                    }
                    _ => {}
                }
            }
            batch.clear();
        }
    }
    assert!(open.len() > 10 && open.values().all(|&left| left == 0), "{open:?}");
}

#[test]
fn what_a_form_cannot_hold_is_refused_and_nothing_is_left() {
    let folder = Folder::new();
    let nas = sample("simgrid_ti/nas_is_s_4/files.txt");
    let other = Folder::new();
    let half = other.file("half", "0 barrier\n1 sleep 1\n");
    let cases: [(PathBuf, Target, &str); 5] = [
        (
            half,
            GOAL,
            "not all ranks take part in a collective: barrier of all processes = begun by 1 of 2: process 1 must take part, too",
        ),
        (
            nas,
            Target::Messages,
            "the form messages has no place for operation 1 of rank 0: a collective (all_reduce)",
        ),
        (
            sample("goal/reduce_binomial_8_1k.goal"),
            TI,
            "the form simgrid_ti has no place for operation 1 of rank 0: it does not wait for the one before it: ranks do one after the other",
        ),
        (
            sample("goal/dissemination_16_1b.goal"),
            Target::Messages,
            "the form messages has no place for operation 2 of rank 0: it is sent when another message has come",
        ),
        (
            sample("netrace/example.tra.bz2"),
            TI,
            "the form simgrid_ti has no place for operation 0 of rank 0: CPU 1: a rank has one there",
        ),
    ];
    for (from, target, expected) in cases {
        let to = folder.path().join("out");
        let refused = written(&from, target, &to).unwrap_err();
        assert_eq!(refused.what, expected);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{expected}");
    }
    let work = folder.file("work", "0 compute 5\n");
    let to = folder.path().join("out");
    let refused = convert(&mut *opened(&work), GOAL, &to, Writing::default(), &mut |_| true);
    assert!(refused.unwrap_err().what.ends_with("say how many a second there are"));
    let missing = folder.path().join("not/there");
    let refused = written(&work, OWN, &missing).unwrap_err();
    assert_eq!(refused.what, "cannot be written: No such file or directory");
}

#[test]
fn stopping_leaves_nothing() {
    let folder = Folder::new();
    let text: String = (0..70_000).map(|_| "0 compute 5\n").collect();
    let mut source = opened(&folder.file("long", text));
    let to = folder.path().join("out");
    let stopped = convert(&mut *source, OWN, &to, Writing::default(), &mut |_| false).unwrap();
    assert!(stopped.is_none() && std::fs::read_dir(folder.path()).unwrap().count() == 1);
}

#[test]
fn damaged_files_of_our_own_are_known() {
    let folder = Folder::new();
    let to = folder.path().join("own");
    written(&sample("simgrid_ti/nas_is_s_4/files.txt"), OWN, &to).unwrap();
    let good = std::fs::read(&to).unwrap();
    let cut = mistake(&folder.file("cut", &good[..good.len() - 9]));
    assert_eq!(cut, "cut: does not end as it should: it is cut off, or not yet written");
    let mut numbers = Numbers(5);
    for _ in 0..100 {
        let mut bytes = good.clone();
        let at = numbers.below(bytes.len());
        bytes[at] ^= 1 << numbers.below(8);
        let found = mistake(&folder.file("changed", bytes));
        assert!(found.starts_with("changed: "), "byte {at}: {found}");
    }
    let mut later = good;
    later[8] = 2;
    let found = mistake(&folder.file("later", later));
    assert_eq!(found, "later: byte 8: has version 2; this Tailback reads version 1");
    let mut source = opened(&to);
    assert!(whole(&mut *source, 3).is_ok());
}
