//! Time-independent traces of SimGrid.

use crate::common::{Folder, mistake, opened, rank, sample, whole};
use tailback_engine::workload::trace::What;

#[test]
fn every_action_is_read_as_it_is_meant() {
    let text = "0 init\n0 compute 1e6\n0 sleep 0.5 # seconds\n0\tsend 1 3 10\n0 isend 1 4 10 1\n\
        0 irecv -555 -444 -1 0\n0 test 0 1 4\n0 wait 0 1 4\n0 waitall\n0 sendRecv 10 1 20 1\n\
        0 barrier\n0 bcast 8\n0 reduce 4 100 1 1\n0 allreduce 4 100 0\n0 alltoall 8 8\n\
        0 gather 4 4 1 1 1\n0 scatter 4 6 0\n0 allgather 4 4\n0 gatherv 4 4 5 1\n\
        0 allgatherv 4 4 5 1\n0 scatterv 4 5 4\n0 reducescatter 4 5 100\n\
        0 alltoallv 9 4 5 9 6 7 1 2\n0 scan 4 50\n0 exscan 4 0\n\
        0 comm_size 2\n0 comm_split 2\n0 comm_dup 2\n0 finalize\n1 init 0\n1 recv 0 3 10\n";
    let folder = Folder::new();
    let mut source = opened(&folder.file("all", text));
    assert_eq!(source.ranks(), 2);
    let expected = [
        "flops 1000000",
        "compute 500000000000 | 1",
        "send 10 to 1 tag 3 | 1",
        "send 40 to 1 tag 4 | 1",
        "receive from * tag * | 1~",
        // wait, waitall
        "join | 2 1~",
        "join | 2 1",
        "send 10 to 1 tag 0 | 1",
        "receive from 1 tag 0 | 1~",
        "join | 2 1",
        "barrier 0 | 1",
        "broadcast 8 root 0 | 1",
        "reduce 16 root 1 | 1",
        "flops 100 | 1",
        "all_reduce 32 | 1",
        "flops 100 | 1",
        "all_to_all 8 | 1",
        "gather 16 root 1 | 1",
        "scatter 6 root 0 | 1",
        "all_gather 4 | 1",
        "gather 0 root 1 [4, 5] | 1",
        "all_gather 0 [16, 20] | 1",
        "scatter 0 root 0 [4, 5] | 1",
        "reduce_scatter 0 [4, 5] | 1",
        "flops 100 | 1",
        "all_to_all 0 [16, 20] [6, 7] | 1",
        // scan
        "send 4 to 1 tag 0 in 1 | 1",
        "receive from 1 tag 0 in 1 | 1~",
        "join | 2 1",
        "flops 50 | 1",
        // exscan
        "send 4 to 1 tag 0 in 1 | 1",
        "receive from 1 tag 0 in 1 | 1~",
        "join | 2 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
    assert_eq!(rank(&mut *source, 1), ["receive from 0 tag 3"]);
    assert_eq!(source.calls()[..3], ["init", "compute", "sleep"]);
}

#[test]
fn requests_are_waited_for_by_key_the_oldest_first() {
    let text = "0 irecv 1 7 8\n0 irecv 1 7 8\n0 irecv 1 8 8\n0 wait 1 0 8\n0 wait 1 0 7\n\
                0 wait 1 0 9\n0 waitall\n1 init\n";
    let folder = Folder::new();
    let mut source = opened(&folder.file("requests", text));
    let expected = [
        "receive from 1 tag 7",
        "receive from 1 tag 7 | 1~",
        "receive from 1 tag 8 | 1~",
        "join | 1",
        "join | 4 1",
        "join | 4 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
}

#[test]
fn init_says_how_long_elements_are() {
    let folder = Folder::new();
    let doubles = folder.file("doubles", "0 init 1\n0 send 1 0 3\n1 init\n1 send 0 0 3\n");
    let mut source = opened(&doubles);
    assert_eq!(rank(&mut *source, 0), ["send 24 to 1 tag 0"]);
    assert_eq!(rank(&mut *source, 1), ["send 3 to 0 tag 0"]);
}

#[test]
fn locations_are_names_of_calls() {
    let folder = Folder::new();
    let text = "0 location is.c 42\n0 compute 5\n0 location is.c 43\n0 barrier\n";
    let mut source = opened(&folder.file("located", text));
    let batch = whole(&mut *source, 0).unwrap();
    let calls: Vec<_> =
        batch.operations.iter().map(|o| source.calls()[o.call as usize].clone()).collect();
    assert_eq!(calls, ["is.c:42 compute", "is.c:43 barrier"]);
}

#[test]
fn lists_name_files_in_the_order_of_ranks() {
    for list in ["simgrid_ti/plain/p2p.files", "simgrid_ti/plain/inc.files"] {
        let mut source = opened(&sample(list));
        let ranks = source.ranks();
        assert_eq!(rank(&mut *source, ranks - 1).len(), 1);
    }
    let mut source = opened(&sample("simgrid_ti/plain/inc.files"));
    let expected = [
        "receive from 1 tag 0",
        "receive from 2 tag 0 | 1~",
        "receive from 3 tag 0 | 1~",
        "join | 3 2 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
}

/// Counted from the files with other tools.
#[test]
fn nas_is_has_its_messages_and_bytes() {
    let mut source = opened(&sample("simgrid_ti/nas_is_s_4/files.txt"));
    assert_eq!(source.ranks(), 4);
    for number in 0..4 {
        let batch = whole(&mut *source, number).unwrap();
        let bytes: u64 = batch.collectives.iter().map(|c| c.bytes).sum();
        let pairs = batch.collectives.iter().filter_map(|c| c.sizes.as_ref());
        let sent: u64 = pairs.flatten().sum();
        let sends = batch.operations.iter().filter(|o| matches!(o.what, What::Send(_))).count();
        let expected = (usize::from(number < 3), 35, 22804, 720_896);
        assert_eq!((sends, batch.collectives.len(), bytes, sent), expected, "rank {number}");
    }
}

#[test]
fn collectives_may_be_of_some_ranks() {
    let folder = Folder::new();
    let text = "0 init\n0 communicator 1 2 0\n0 bcast 8 1\n0 scatterv 4 5 4 0\n0 scan 4 0\n\
        0 communicator 0\n0 barrier\n0 communicator 1\n0 barrier\n1 init\n\
        2 communicator 1 2 0\n2 bcast 8 1\n";
    let mut source = opened(&folder.file("some", text));
    let expected = [
        "broadcast 8 root 0 of [2, 0]",
        "scatter 0 root 2 [4, 5] of [2, 0] | 1",
        "send 4 to 2 tag 0 in 2 | 1",
        "receive from 2 tag 0 in 2 | 1~",
        "join | 2 1",
        "barrier 0 | 1",
        "barrier 0 of [2, 0] | 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
    assert_eq!(rank(&mut *source, 2), ["broadcast 8 root 0 of [2, 0]"]);
    for (line, expected) in [
        ("communicator", "the communicator is missing"),
        ("communicator 2", "communicator 2 has no members"),
        ("communicator 1 1 1", "communicator 1 has rank 1 twice"),
        ("communicator 1 0", "rank 1 is no member of communicator 1"),
        ("communicator 1 1 3", "a member must be a rank, 0 to 1, not 3"),
        ("communicator 2147483648 1", "the communicator must be a number below 2147483648"),
    ] {
        let path = folder.file("wrong", format!("0 init\n1 {line}\n"));
        assert_eq!(mistake(&path), format!("wrong: line 2: {expected}"), "{line}");
    }
    let path = folder.file("wrong", "0 communicator 1 0 1\n1 communicator 1 1 0\n");
    let expected = "wrong: line 2: communicator 1 has had other members before";
    assert_eq!(mistake(&path), expected);
}

/// So many turns that they are put in order of ranks first.
#[test]
fn ranks_may_take_turns_line_by_line() {
    let folder = Folder::new();
    let (mut together, mut apart) = (String::new(), [String::new(), String::new()]);
    for turn in 0..1500 {
        for (me, other) in [(0, 1), (1, 0)] {
            let line = format!("{me} isend {other} {turn} {me}\n");
            together += &line;
            apart[me] += &line;
        }
        together += "# both\n";
    }
    let list = folder.file("list", "a\nb\n");
    folder.file("a", &apart[0]);
    folder.file("b", &apart[1]);
    let (mut one, mut each) = (opened(&folder.file("one", &together)), opened(&list));
    for number in 0..2 {
        let found = rank(&mut *one, number);
        assert_eq!(found.len(), 1500);
        assert_eq!(found, rank(&mut *each, number));
    }
    let wrong = folder.file("wrong", together + "1 alltoal\n0 send 1\n");
    assert_eq!(mistake(&wrong), "wrong: line 4502: the tag is missing");
}

#[test]
fn mistakes_name_file_and_line() {
    let folder = Folder::new();
    let cases = [
        (
            "0 init\n0 alreduce 1 1\n",
            "line 2: alreduce is no action of SimGrid's traces; do you mean allreduce?",
        ),
        ("0 init\n0 send 1 0 8\n", "line 2: the receiver must be a rank, 0 to 0, not 1"),
        ("0 init\n0 compute\n", "line 2: the work is missing"),
        ("0 init\n0 compute x\n", "line 2: the work must be a number from 0, not x"),
        ("0 init\n0 barrier 1\n", "line 2: barrier has an argument too many: 1"),
        (
            "0 init\n0 wait\n",
            "line 2: wait must have a sender, a receiver and a tag, as since SimGrid 3.20: record the trace with a newer one",
        ),
        ("0 init\n0 send 0 -1 8\n", "line 2: a send must have a tag from 0"),
        ("0 init\n0 bcast 8 0 55\n", "line 2: the datatype must be 0 to 54, not 55"),
        (
            "0 init\n0 bcast 1e16 0 6\n",
            "line 2: 10000000000000000 elements of 1 bytes are more than 1000000000000000 bytes",
        ),
        (
            "0 init\n0 alltoallv 9\n",
            "line 2: lengths sent are needed for each of 1 rank; there are 0",
        ),
        ("0 init\nx init\n", "line 2: must begin with a rank below 16777216, not x"),
        ("0 init\n2 init\n", "has ranks up to 2, but no line of rank 1"),
        ("0 init\n0\n", "line 2: has no action after the rank"),
    ];
    for (text, expected) in cases {
        let path = folder.file("wrong", text);
        assert_eq!(mistake(&path), format!("wrong: {expected}"), "{text}");
    }
    folder.file("a", "0 init\n");
    folder.file("b", "0 init\n");
    let list = folder.file("list", "a\nb\n");
    assert_eq!(mistake(&list), "b: line 1: must begin with rank 1, not 0");
    let list = folder.file("list", "a\nc\n");
    assert_eq!(mistake(&list), "list: line 2: c is no action, and no file that is there");
}

/// As SMPI 3.32 records: how many requests there are, lengths at the root alone, and types that the
/// program made as -1, of which bytes are counted.
#[test]
fn recordings_of_smpi_are_read() {
    let folder = Folder::new();
    let of = |rank: u32, sizes: &str| {
        let other = 1 - rank;
        format!(
            "{rank} init\n{rank} irecv {other} 7 3 1\n{rank} isend {other} 7 3 1\n\
             {rank} waitall 2\n{rank} send {other} 8 120 -1\n{rank} gatherv 3 {sizes} 0 1 1\n\
             {rank} scatterv {sizes} 5 0 0 0\n{rank} finalize\n"
        )
    };
    let text = of(0, "3 4") + &of(1, "0 0");
    let mut source = opened(&folder.file("recorded", text));
    let expected = [
        "receive from 1 tag 7",
        "send 12 to 1 tag 7 | 1~",
        "join | 2 1",
        "send 120 to 1 tag 8 | 1",
        "receive from 1 tag 65536 in 1 | 1",
        "join | 1",
        "send 32 to 1 tag 131072 in 1 | 1",
        "join | 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
    let others = ["send 12 to 0 tag 65536 in 1 | 1", "receive from 0 tag 131072 in 1 | 1"];
    assert_eq!(rank(&mut *source, 1)[4..], others);
    let wrong = mistake(&folder.file("wrong", "0 init\n0 waitall x\n"));
    assert!(wrong.ends_with("the number of requests must be a number from 0, not x"), "{wrong}");
}
