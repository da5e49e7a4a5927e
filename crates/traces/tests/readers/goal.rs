//! GOAL, as text and binary.

use crate::common::{Folder, mistake, opened, rank, sample};
use tailback_engine::workload::trace::Batch;
use tailback_traces::{Format, Options, open};

#[test]
fn every_statement_is_read_as_it_is_meant() {
    let text = "// by hand\nnum_ranks 2\n/* two\nranks } */\nrank 0 { // the first\n\
        a: calc 10 cpu 3\n b : send 8b to 1 tag 7 cpu 1 nic 2\nb requires a\n\
        c: recv 16 b from -1 tag -1 nic 4\nc irequires b /* at once */\n\
        calc 5\nd: recv 1b from 1 tag 4294967295\nd requires a\nd requires c\n}\n\
        rank 1 {\r\nx1: send 0b to 0\r\nx1: calc 1\r\nx2: calc 2\r\nx2 requires x1 }\r\n";
    let folder = Folder::new();
    let mut source = opened(&folder.file("by_hand", text));
    assert_eq!(source.ranks(), 2);
    let expected = [
        "compute 10000 cpu 3",
        "send 8 to 1 tag 7 cpu 1 nic 2 | 1",
        "receive from * tag * nic 4 | 1~",
        "compute 5000",
        "receive from 1 tag * | 4 2",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
    // A length of nothing is one byte; the first of equal labels holds.
    assert_eq!(rank(&mut *source, 1), ["send 1 to 0 tag 0", "compute 1000", "compute 2000 | 2"]);
    assert_eq!(source.expected(), []);
}

#[test]
fn what_waits_for_later_lines_comes_after_them() {
    let mut source = opened(&sample("goal/reduce_binomial_8_1k.goal"));
    let expected = ["receive from 3 tag 0", "receive from 5 tag 0", "send 1024 to 0 tag 0 | 2 1"];
    assert_eq!(rank(&mut *source, 1), expected);
}

#[test]
fn the_lengths_that_receives_expect_are_given() {
    let mut source = opened(&sample("goal/wildcard.goal"));
    let mut batch = Batch::default();
    assert!(source.next(0, &mut batch).unwrap());
    assert_eq!(source.expected(), [8, 8]);
}

#[test]
fn text_and_binary_say_the_same() {
    for name in ["wildcard", "allreduce_ring_8_1m"] {
        let mut text = opened(&sample(&format!("goal/{name}.goal")));
        let mut binary = opened(&sample(&format!("goal/{name}.bin")));
        assert_eq!(text.ranks(), binary.ranks());
        for number in 0..text.ranks() {
            let mut expected = rank(&mut *text, number);
            let mut found = rank(&mut *binary, number);
            for line in expected.iter_mut().chain(&mut found) {
                // The order of what one waits for has no meaning.
                if let Some((what, after)) = line.split_once(" | ") {
                    let mut after: Vec<_> = after.split(' ').collect();
                    after.sort_unstable();
                    *line = format!("{what} | {}", after.join(" "));
                }
            }
            assert_eq!(found, expected, "{name}, rank {number}");
        }
    }
}

#[test]
fn ranks_can_be_read_in_any_order_and_more_than_once_asked() {
    let mut source = opened(&sample("goal/dissemination_16_1b.goal"));
    let last = rank(&mut *source, 15);
    assert_eq!(last.len(), 8);
    assert_eq!(rank(&mut *source, 0).len(), 8);
    assert!(!source.next(15, &mut Batch::default()).unwrap());
}

#[test]
fn mistakes_in_text_name_the_line() {
    let folder = Folder::new();
    let body =
        |statements: &str| format!("num_ranks 2\nrank 0 {{\n{statements}\n}}\nrank 1 {{\n}}\n");
    let cases = [
        (body("l1: send 8b to 2"), "line 3: rank 2 is not there: there are 2"),
        (
            body("l1: calc 1\nl1 requires l2"),
            "line 4: no operation before this line has the label l2",
        ),
        (body("l1: calc -1"), "line 3: a time must be 0 to 18446744073709551 ns, not -1"),
        (body("l1: sent 8b to 1"), "line 3: l1 must be a send, recv or calc, not sent"),
        (body("l1: send 8 to 1"), "line 3: expected b, found to"),
        (
            body("l1: send 1000000000000001b to 1"),
            "line 3: a length must be 0 to 1000000000000000 bytes, not 1000000000000001b",
        ),
        (
            body("l1: send 8b to -1"),
            "line 3: a rank must be a whole number below 4294967295, not -1",
        ),
        (
            body("l1: send 8b to 1 nic 1 cpu 1"),
            "line 3: expected the end of the line, found cpu; the order is tag, cpu, nic",
        ),
        (body("l1: calc 1 cpu 256"), "line 3: cpu must be 0 to 255, not 256"),
        (body("l1 needs l2"), "line 3: expected : or requires or irequires after l1, found needs"),
        (body("put 8b to 1"), "line 3: put: operations of Portals are not simulated"),
        (body("?"), "line 3: no statement of GOAL begins with ?"),
        (body("/* no end"), "line 6: a comment begins with /* and does not end"),
        (
            body("a: calc 1\nb: calc 2\na requires b\nb requires a"),
            "line 2: operation 0 of rank 0 waits for itself, by way of others",
        ),
        (
            "num_ranks 2\nrank 1 {".into(),
            "line 2: expected rank 0, found rank 1: ranks come in order, none left out",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: calc 3".into(),
            "line 3: rank 0 does not end: the file is cut off",
        ),
        ("num_ranks 2\nrank 0 {\n}\n".into(), "line 3: has 1 rank; num_ranks says 2"),
        ("num_ranks 0\n".into(), "line 1: num_ranks must be 1 or more"),
        (
            "num_ranks 1\nrank 0 {\nrank 1 {".into(),
            "line 3: rank 1 begins before rank 0 has ended with }",
        ),
    ];
    for (text, expected) in cases {
        let path = folder.file("wrong.goal", &text);
        assert_eq!(mistake(&path), format!("wrong.goal: {expected}"), "{text}");
    }
    let path = sample("goal/chained_dissem_8.goal");
    let expected = "chained_dissem_8.goal: line 14: rank 9999999 is not there: there are 8";
    assert_eq!(mistake(&path), expected);
}

#[test]
fn mistakes_in_binaries_name_the_byte() {
    let folder = Folder::new();
    let whole = std::fs::read(sample("goal/wildcard.bin")).unwrap();
    let changed = |at: usize, bytes: &[u8]| {
        let mut copy = whole.clone();
        copy[at..at + bytes.len()].copy_from_slice(bytes);
        mistake(&folder.file("wrong.bin", copy))
    };
    let spoiled = "wrong.bin: was changed by a run of LogGOPSim with --save-mem; make it again";
    assert_eq!(changed(0, &2342u64.to_le_bytes()), spoiled);
    // The first node of rank 0: after the head, three places, two counts and a root.
    let first = 14 + 48 + 8 + 4;
    let kind = format!("wrong.bin: byte {first}: type 9; classic GOAL has 1 send, 2 recv, 3 calc");
    assert_eq!(changed(first + 4, &[9]), kind);
    let peer = format!("wrong.bin: byte {first}: rank 7 is not there: there are 3");
    assert_eq!(changed(first + 5, &7u32.to_le_bytes()), peer);
    let many = changed(14 + 48, &1000u32.to_le_bytes());
    assert_eq!(many, "wrong.bin: byte 62: rank 0 has 94 bytes for 1000 operations: too few");
    let short = mistake(&folder.file("short.bin", &whole[..200]));
    assert!(short.contains("beyond the end: it is cut off"), "{short}");
}

/// A rank whose nodes have 104 bytes, as LogGOPSim2 writes them.
#[test]
fn nodes_of_loggopsim2_are_known() {
    let mut bytes = Vec::new();
    bytes.extend(4223u64.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend([0, 0]);
    let length = 8 + 4 + 104 * 2 + 4;
    bytes.extend(22u64.to_le_bytes());
    bytes.extend((22u64 + length).to_le_bytes());
    bytes.extend(2u32.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.resize(8 + 22 + length as usize, 0);
    let folder = Folder::new();
    let found = mistake(&folder.file("other.bin", bytes));
    assert!(found.contains("is of LogGOPSim2"), "{found}");
}

#[test]
fn a_format_can_be_demanded() {
    let folder = Folder::new();
    let path = folder.file("text", "num_ranks 1\nrank 0 {\n}\n");
    let options = Options::of(Format::GoalBinary);
    let refused = open(&path, &options).err().unwrap();
    assert!(refused.what.contains("binary GOAL begins with 4223"), "{refused}");
}

#[test]
fn nothing_follows_the_last_rank_of_binary_goal() {
    let folder = Folder::new();
    let mut content = std::fs::read(sample("goal/wildcard.bin")).unwrap();
    let length = content.len();
    content.extend(b"rubbish");
    let refused = mistake(&folder.file("more.bin", content));
    assert_eq!(refused, format!("more.bin: byte {length}: has more bytes behind the last rank"));
}
