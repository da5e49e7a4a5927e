//! Recorded calls of MPI: DUMPI as text, and liballprof.

#![allow(clippy::format_push_string, reason = "short texts of tests")]

use crate::common::{Folder, mistake, opened, rank, sample, whole};
use tailback_engine::workload::trace::What;

/// Calls of one nanosecond each, one nanosecond apart, as `dumpi2ascii` prints them.
fn calls(calls: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (number, (name, arguments)) in calls.iter().enumerate() {
        let (begun, done) = (2 * number + 1, 2 * number + 2);
        let stamp =
            |at: usize| format!("at walltime 1296777956.{at:09}, cputime 0.1 seconds in thread 0.");
        text.push_str(&format!("{name} entering {}\n", stamp(begun)));
        for argument in arguments.split("; ").filter(|argument| !argument.is_empty()) {
            text.push_str(&format!("{argument}\n"));
        }
        text.push_str(&format!("{name} returning {}\n", stamp(done)));
    }
    text
}

const MESSAGE: &str =
    "int count=2; MPI_Datatype datatype=14 (MPI_DOUBLE); MPI_Comm comm=2 (MPI_COMM_WORLD)";

fn message(rest: &str) -> String {
    format!("{MESSAGE}; {rest}")
}

/// The operations of rank 0 without the nanoseconds between calls.
fn without_gaps(found: &[String]) -> Vec<&str> {
    let texts = found.iter().map(String::as_str);
    texts
        .filter(|text| !text.starts_with("compute 1000"))
        .map(|text| text.split(" |").next().unwrap())
        .collect()
}

#[test]
fn samples_of_dumpi_are_a_ring_and_collectives() {
    let mut source = opened(&sample("dumpi/testtrace-0000.ascii.txt"));
    assert_eq!(source.ranks(), 4);
    let expected = [
        "compute 24000000",
        "compute 6000000 | 1",
        "compute 7000000 | 1",
        "barrier 0 | 1",
        "compute 15000000 | 1",
        "send 4 to 1 tag 1337 | 1",
        "compute 10000000 | 1~",
        "receive from 3 tag 1337 | 1",
        "compute 8000000 | 1",
        "join | 4 1",
    ];
    assert_eq!(rank(&mut *source, 0)[..10], expected);
    let last = rank(&mut *source, 3);
    assert!(last.contains(&"send 4 to 0 tag 1337 | 1".into()), "{last:?}");
    assert!(source.calls().contains(&"MPI_Isend".into()));
}

#[test]
fn every_way_to_send_receive_and_wait_is_read() {
    let text = calls(&[
        ("MPI_Irecv", &message("int source=-1; int tag=-1; MPI_Request request=[5]")),
        ("MPI_Send_init", &message("int dest=1; int tag=3; MPI_Request request=[6]")),
        ("MPI_Startall", "int count=1; MPI_Request requests[1]=[6]"),
        ("MPI_Test", "MPI_Request request=[5]; int flag=0"),
        ("MPI_Test", "MPI_Request request=[5]; int flag=1"),
        ("MPI_Wait", "MPI_Request request=[5]"),
        ("MPI_Waitany", "int count=2; MPI_Request requests[2]=[5, 6]; int index=1"),
        ("MPI_Send", &message("int dest=-2; int tag=3")),
        (
            "MPI_Sendrecv",
            "int sendcount=1; MPI_Datatype sendtype=2 (MPI_CHAR); int dest=1; int sendtag=8; int recvcount=1; \
             MPI_Datatype recvtype=9 (MPI_INT); int source=1; int recvtag=9; MPI_Comm comm=2 (MPI_COMM_WORLD)",
        ),
        (
            "MPI_Type_vector",
            "int count=3; int blocklength=2; MPI_Datatype oldtype=9 (MPI_INT); MPI_Datatype newtype=28",
        ),
        (
            "MPI_Ssend",
            "int count=2; MPI_Datatype datatype=28 (user-defined-datatype); int dest=1; int tag=1; MPI_Comm comm=2",
        ),
        ("MPI_Comm_size", "MPI_Comm comm=2; int size=2"),
    ]);
    let folder = Folder::new();
    folder.file("a-0001.txt", "");
    let mut source = opened(&folder.file("a-0000.txt", text));
    let found = rank(&mut *source, 0);
    let expected = [
        "receive from * tag *",
        "send 16 to 1 tag 3",
        "join",
        "join",
        "send 1 to 1 tag 8",
        "receive from 1 tag 9",
        "join",
        "send 48 to 1 tag 1",
    ];
    assert_eq!(without_gaps(&found), expected);
    // The receive is waited for where it was tested with success, the send by MPI_Waitany.
    let joins: Vec<_> = found.iter().filter(|text| text.starts_with("join")).collect();
    assert_eq!(joins, ["join | 6 1", "join | 6 1", "join | 2 1"]);
    let note = "calls without effect, but for the time between calls: 1 MPI_Comm_size";
    assert_eq!(source.notes(), [note]);
}

#[test]
fn communicators_have_their_ranks_and_messages() {
    let make = [
        ("MPI_Comm_group", "MPI_Comm comm=2; MPI_Group group=3"),
        (
            "MPI_Group_incl",
            "MPI_Group group=3; int count=2; int ranks[2]=[2, 0]; MPI_Group newgroup=4",
        ),
        ("MPI_Comm_create", "MPI_Comm oldcomm=2; MPI_Group group=4; MPI_Comm newcomm=4"),
        ("MPI_Comm_dup", "MPI_Comm oldcomm=4; MPI_Comm newcomm=5"),
        (
            "MPI_Send",
            "int count=1; MPI_Datatype datatype=5 (MPI_BYTE); int dest=0; int tag=1; MPI_Comm comm=5",
        ),
        ("MPI_Bcast", "int count=3; MPI_Datatype datatype=5; int root=1; MPI_Comm comm=4"),
        ("MPI_Gatherv", "int sendcount=7; MPI_Datatype sendtype=5; int root=0; MPI_Comm comm=4"),
        ("MPI_Scan", "int count=9; MPI_Datatype datatype=5; MPI_Comm comm=4"),
    ];
    let folder = Folder::new();
    folder.file("a1.txt", "");
    folder.file("a2.txt", "");
    let mut source = opened(&folder.file("a0.txt", calls(&make)));
    let together = 1u32 << 31 | 2;
    let expected = [
        "send 1 to 2 tag 1 in 3".to_owned(),
        "broadcast 3 root 0 of [2, 0]".into(),
        format!("send 7 to 2 tag 0 in {together}"),
        format!("send 9 to 2 tag 1 in {together}"),
        format!("receive from 2 tag 1 in {together}"),
        "join".into(),
    ];
    assert_eq!(without_gaps(&rank(&mut *source, 0)), expected);
}

#[test]
fn liballprof_has_arguments_in_the_order_of_c() {
    let text = "# version\nMPI_Init:10\nMPI_Irecv:12:1:4:1,8,8:1:7:0,0,2:99:13\n\
                MPI_Send:14:1:3:1,8,8:1:7:0,0,2:15.5\nMPI_Waitall:16:1:99:0:17\n\
                MPI_Allreduce:17:1:2:4:1,8,8:0:0,0,2:18\nMPI_Finalize:19\n";
    let folder = Folder::new();
    folder.file("pmpi-trace-rank-1.txt", "MPI_Init:0\n");
    let mut source = opened(&folder.file("pmpi-trace-rank-0.txt", text));
    let expected = [
        "compute 2000000",
        "receive from 1 tag 7 | 1",
        "compute 1000000 | 1~",
        "send 24 to 1 tag 7 | 1",
        "compute 500000 | 1",
        "join | 4 1",
        "all_reduce 32 | 1",
        "compute 1000000 | 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
    // As MPICH numbers the world, and as a pointer: the first communicator is that of all ranks.
    for number in ["1140850688", "94000000000000"] {
        let text = text.replace(":0,0,2", &format!(":{number},0,2"));
        let mut source = opened(&folder.file("pmpi-trace-rank-0.txt", text));
        assert_eq!(rank(&mut *source, 0)[1], "receive from 1 tag 7 | 1");
    }
}

#[test]
fn mistakes_name_the_call() {
    let folder = Folder::new();
    let send = |rest: &str| calls(&[("MPI_Send", &message(rest))]);
    let cases = [
        (
            send("int dest=1; int tag=0"),
            "line 1: MPI_Send: rank 1 is not there: the communicator has 1 rank",
        ),
        (send("int dest=0"), "line 1: MPI_Send: tag is missing"),
        (send("int dest=x; int tag=0"), "line 1: MPI_Send: dest must be a whole number, not x"),
        (
            calls(&[(
                "MPI_Send",
                "int count=1; MPI_Datatype datatype=40; int dest=0; int tag=0; MPI_Comm comm=2",
            )]),
            "line 1: MPI_Send: the length of datatype 40 is not known: no call of the trace makes it",
        ),
        (
            calls(&[("MPI_Comm_size", "MPI_Comm comm=2 (MPI_COMM_WORLD); int size=7")]),
            "line 1: MPI_Comm_size: MPI_COMM_WORLD has 7 ranks; files of 1 were found",
        ),
        (
            calls(&[("MPI_Barrier", "MPI_Comm comm=9")]),
            "line 1: MPI_Barrier: communicator 9 is not known: no call of the trace makes it",
        ),
        (
            calls(&[
                ("MPI_Intercomm_merge", "MPI_Comm comm=2; MPI_Comm newcomm=9"),
                ("MPI_Barrier", "MPI_Comm comm=9"),
            ]),
            "line 5: MPI_Barrier: who is in communicator 9, which MPI_Intercomm_merge made, is not read",
        ),
        (
            calls(&[("MPI_Comm_split", "MPI_Comm oldcomm=2; int color=0; MPI_Comm newcomm=9")]),
            "line 1: MPI_Comm_split: key is missing",
        ),
        (
            calls(&[(
                "MPI_Cart_create",
                "MPI_Comm oldcomm=2; int dims[1]=[2]; MPI_Comm newcomm=9",
            )]),
            "line 1: MPI_Cart_create: has more places than the 1 ranks there are",
        ),
        (
            calls(&[("MPI_Put", "int origincount=1; MPI_Win win=1")]),
            "line 1: MPI_Put: one-sided communication is not read",
        ),
        (
            calls(&[("MPI_Win_fence", "")]),
            "line 1: MPI_Win_fence: one-sided communication is not read",
        ),
        (
            calls(&[("MPI_Neighbor_alltoall", "")]),
            "line 1: MPI_Neighbor_alltoall: is not read, and communicates",
        ),
        (
            calls(&[("MPI_Init", "")]).replacen("1296777956.000000001", "soon", 1),
            "line 1: walltime must be a number of seconds, not soon",
        ),
        (
            calls(&[("MPI_Init", "")]).replacen("1296777956.000000002", "1.5x", 1),
            "line 2: walltime must be a number of seconds, not 1.5x",
        ),
        (
            send("int dest=0; int tag=0").replace("MPI_Send returning", "MPI_Recv returning"),
            "line 7: MPI_Recv returns within MPI_Send",
        ),
        (
            send("int dest=0; int tag=0")[..100].into(),
            "line 3: MPI_Send does not return: the file is cut off",
        ),
        (
            format!("{}what\n", calls(&[("MPI_Init", "")])),
            "line 3: expected a call that is entered, found what",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(mistake(&folder.file("wrong.txt", text)), format!("wrong.txt: {expected}"));
    }
    let binary = mistake(&folder.file("trace.bin", b"\xff\xaa\xddDUMPI and more"));
    assert!(binary.contains("is binary; print each file with `dumpi2ascii"), "{binary}");
    let about = folder.file("trace.meta", "hostname=a\nnumprocs=4\nfileprefix=trace\n");
    assert!(mistake(&about).contains("is about binary files; print each"));
    let few = mistake(&folder.file("wrong.txt", "MPI_Send:1:2:3:4\n"));
    assert!(
        few.starts_with("wrong.txt: line 1: MPI_Send has 2 arguments; needs 6: buf, count"),
        "{few}"
    );
    folder.file("gap-0000.txt", "");
    let gap = mistake(&folder.file("gap-0002.txt", calls(&[("MPI_Init", "")])));
    assert_eq!(gap, "gap-0002.txt: has files of ranks up to 2, but none of rank 1, or two");
    let sends = |batch: &tailback_engine::workload::trace::Batch| {
        batch.operations.iter().filter(|o| matches!(o.what, What::Send(_))).count()
    };
    let mut source = opened(&sample("dumpi/testtrace-0002.ascii.txt"));
    assert_eq!(sends(&whole(&mut *source, 2).unwrap()), 1);
}

/// Every rank calls `MPI_Comm_split` with a colour and a key; what it gets has the ranks of its
/// colour by key. A grid has the first ranks, and its parts those with the same places.
#[test]
fn communicators_of_some_ranks_are_those_of_their_colours() {
    let folder = Folder::new();
    let bcast = |comm: u32| {
        let text =
            format!("int count=1; MPI_Datatype datatype=5; int root=0; MPI_Comm comm={comm}");
        ("MPI_Bcast", text)
    };
    for me in 0..5 {
        let make = [
            // Even ranks in descending order; odd ones; the last gets nothing.
            ("MPI_Comm_split", {
                let color = if me == 4 { -32766 } else { me % 2 };
                format!(
                    "MPI_Comm oldcomm=2; int color={color}; int key={}; MPI_Comm newcomm=9",
                    -me
                )
            }),
            (
                "MPI_Cart_create",
                "MPI_Comm oldcomm=2; int ndim=2; int dims[2]=[2, 2]; \
              int periods[2]=[0, 0]; int reorder=0; MPI_Comm newcomm=10"
                    .into(),
            ),
            (
                "MPI_Cart_sub",
                "int ndim=2; MPI_Comm oldcomm=10; int remain_dims[2]=[0, 1]; \
              MPI_Comm newcomm=11"
                    .into(),
            ),
            (
                "MPI_Cart_sub",
                "int ndim=2; MPI_Comm oldcomm=10; int remain_dims[2]=[1, 0]; \
              MPI_Comm newcomm=12"
                    .into(),
            ),
            bcast(9),
            bcast(10),
            bcast(11),
            bcast(12),
            // Of what was split before, once more.
            (
                "MPI_Comm_split",
                "MPI_Comm oldcomm=9; int color=7; int key=0; MPI_Comm newcomm=13".into(),
            ),
            bcast(13),
        ];
        let made: Vec<_> = make.iter().map(|(name, text)| (*name, text.as_str())).collect();
        // Who is in nothing calls nothing of it.
        let made = if me == 4 { &made[..2] } else { &made[..] };
        folder.file(&format!("t-{me:04}.txt"), calls(made));
    }
    let mut source = opened(&folder.path().join("t-0000.txt"));
    let found = |source: &mut dyn tailback_traces::Source, me| {
        without_gaps(&rank(source, me))
            .iter()
            .map(|text| text.replace("broadcast 1 root ", ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(&mut *source, 0),
        ["2 of [2, 0]", "0 of [0, 1, 2, 3]", "0 of [0, 1]", "0 of [0, 2]", "2 of [2, 0]",]
    );
    assert_eq!(
        found(&mut *source, 3),
        ["3 of [3, 1]", "0 of [0, 1, 2, 3]", "2 of [2, 3]", "1 of [1, 3]", "3 of [3, 1]",]
    );
    assert_eq!(found(&mut *source, 4), [""; 0]);
}

/// A split that a member never calls cannot be known.
#[test]
fn all_members_split_a_communicator() {
    let folder = Folder::new();
    let split = "MPI_Comm oldcomm=2; int color=0; int key=0; MPI_Comm newcomm=9";
    folder.file("t-1.txt", calls(&[("MPI_Init", "")]));
    let wrong = mistake(&folder.file("t-0.txt", calls(&[("MPI_Comm_split", split)])));
    assert_eq!(
        wrong,
        "t-0.txt: line 1: MPI_Comm_split: not all members of the communicator call it"
    );
}

#[test]
fn collectives_that_do_not_block_are_waited_for_by_their_requests() {
    let folder = Folder::new();
    folder.file("pmpi-trace-rank-1.txt", "MPI_Init:-:0:0:0\n");
    let text = "MPI_Init:-:1:1:10\nMPI_Iallreduce:10:1:2:4:1,8,8:3:7,0,2:640:10\n\
                MPI_Send:12:1:3:1,8,8:1:7:7,0,2:12\nMPI_Wait:12:640:0:13\nMPI_Finalize:13:-\n";
    let mut source = opened(&folder.file("pmpi-trace-rank-0.txt", text));
    let expected =
        ["all_reduce 32", "compute 2000000 | 1~", "send 24 to 1 tag 7 | 1", "join | 3 1"];
    assert_eq!(rank(&mut *source, 0), expected);
    let wrong = text.replace("MPI_Iallreduce", "MPI_Iscan");
    let wrong = mistake(&folder.file("pmpi-trace-rank-0.txt", wrong));
    assert!(
        wrong.ends_with("MPI_Iscan: is not read: only the same call that blocks is"),
        "{wrong}"
    );
}

/// As liballprof prints calls: microseconds since 1970, pointers for what lies in memory, and
/// counts of all members behind theirs.
#[test]
fn recordings_of_liballprof_are_read() {
    let folder = Folder::new();
    let (start, comm) = (1_700_000_000_000_000u64, 94_000_000_000_000u64);
    let world = format!("{comm},0,2");
    let other = format!("{},0,2", comm + 640);
    let at = |micros: u64| start + micros;
    let line = |number: u64, call: &str| {
        let (name, arguments) = call.split_once(' ').unwrap();
        format!("{name}:{}:{arguments}:{}\n", at(2 * number), at(2 * number + 1))
            .replace("WORLD", &world)
            .replace("OTHER", &other)
    };
    let recorded = [
        "MPI_Comm_size WORLD:140000",
        "MPI_Comm_dup WORLD:150000",
        "MPI_Type_contiguous 3:10,8,8:160000",
        "MPI_Type_commit 160000",
        "MPI_Irecv 1:1:10,8,8:1:7:OTHER:8000",
        "MPI_Issend 1:1:10,8,8:1:7:WORLD:8008",
        "MPI_Rsend 1:1:94000,24,24:1:7:WORLD",
        "MPI_Waitall 2:8000:0",
        "MPI_Irecv 1:1:10,8,8:-1:-1:WORLD:8000",
        "MPI_Test 8000:170000:0",
        "MPI_Recv 1:1:10,8,8:-2:7:WORLD:0",
        "MPI_Isend 1:1:10,8,8:1:7:WORLD:8000",
        "MPI_Waitsome 2:8000:180000:190000:0",
        "MPI_Scatterv 1:2:3,4:5:0,3:10,8,8:6:3:10,8,8:0:WORLD",
        "MPI_Reduce_scatter 1:2:3:3,4:10,8,8:3:WORLD",
    ];
    let calls: String = (1..).zip(recorded).map(|(number, call)| line(number, call)).collect();
    let text = format!("# hostname\nMPI_Init:-:1:1:{}\n{calls}MPI_Finalize:{}:-\n", at(1), at(32));
    folder.file("pmpi-trace-rank-1.txt", format!("MPI_Init:-:1:1:{start}\n"));
    let mut source = opened(&folder.file("pmpi-trace-rank-0.txt", &text));
    let found = rank(&mut *source, 0);
    let found: Vec<_> = found.iter().filter(|text| !text.starts_with("compute 1000000 ")).collect();
    let expected = [
        "compute 1000000",
        "receive from 1 tag 7 in 2 | 1",
        "send 8 to 1 tag 7 | 1",
        "send 24 to 1 tag 7 | 1",
        "join | 6 4 1",
        "receive from * tag * | 1",
        // What was tested is done before its request is used again; nobody sends to it from -2.
        "join | 4 1",
        "send 8 to 1 tag 7 | 1",
        "join | 2 1",
        "send 32 to 1 tag 0 in 2147483648 | 1",
        "join | 1",
        "reduce_scatter 0 [24, 32] | 1",
    ];
    assert_eq!(found, expected);
    // MPICH has integers for handles, and -2 for any source.
    let text = text.replace(&world, "1140850688,0,2").replace(&other, "-2080374784,0,2");
    let text = text.replace(":8008:", ":8004:");
    let mut source = opened(&folder.file("pmpi-trace-rank-0.txt", text));
    let found = rank(&mut *source, 0);
    let found: Vec<_> = found.iter().filter(|text| !text.starts_with("compute 1000000 ")).collect();
    assert_eq!(found[4], "join | 6 4 1");
    // Nobody sends from -1.
    assert_eq!(found[5], "receive from * tag 7 | 1");
}
