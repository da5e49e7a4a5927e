//! Execution traces of Chakra, written here byte by byte.

use crate::common::{Folder, mistake, mistake_with, opened, rank, sample};
use std::io::Write;
use tailback_traces::{Format, Options, open};

/// A message of protobuf.
#[derive(Clone, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 128 {
            self.0.push(number as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(mut self, field: u64, number: u64) -> Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn attribute(self, name: &str, field: u64, number: u64) -> Self {
        let attribute = Self::default().bytes(1, name.as_bytes()).number(field, number);
        self.bytes(10, &attribute.0)
    }
}

fn node(id: u64, kind: u64, name: &str) -> Message {
    Message::default().number(1, id).bytes(2, name.as_bytes()).number(3, kind)
}

fn file(nodes: &[Message]) -> Vec<u8> {
    let mut whole = Message::default();
    let metadata = Message::default().bytes(1, b"0.0.4");
    for message in [metadata].iter().chain(nodes) {
        whole.varint(message.0.len() as u64);
        whole.0.extend(&message.0);
    }
    whole.0
}

/// A computation on the processor, one on the GPU after it, a message, and collectives.
fn program() -> Vec<Message> {
    vec![
        node(9, 6, "recv").attribute("comm_src", 7, 1).attribute("comm_tag", 13, 5),
        node(4, 7, "all").bytes(5, &[2]).attribute("comm_type", 9, 0).attribute("comm_size", 9, 64),
        node(2, 4, "gpu").number(4, 1).number(7, 3).attribute("num_ops", 13, 4000),
        node(1, 4, "cpu").number(7, 2).attribute("is_cpu_op", 27, 1),
        node(5, 5, "send")
            .bytes(5, &[2, 5, 77])
            .attribute("comm_dst", 7, 1)
            .attribute("comm_size", 9, 32)
            .attribute("comm_tag", 13, 5),
        node(3, 7, "nothing").attribute("comm_type", 9, 0),
        node(7, 7, "part")
            .attribute("comm_type", 9, 7)
            .attribute("comm_size", 9, 64)
            .bytes(10, &Message::default().bytes(1, b"pg_name").bytes(29, b"g").0),
    ]
}

fn two_ranks(folder: &Folder) -> std::path::PathBuf {
    folder.file("p.1.et", file(&[]));
    folder.file("p.0.et", file(&program()))
}

#[test]
fn nodes_come_in_the_order_of_what_they_wait_for() {
    let folder = Folder::new();
    let mut source = opened(&two_ranks(&folder));
    assert_eq!(source.ranks(), 2);
    let expected = [
        "compute 2000000",
        "compute 3000000 cpu 1 | 1",
        // Without a size; collectives come one after the other.
        "join cpu 2",
        "all_reduce 64 cpu 2 | 2 1",
        "send 32 to 1 tag 5 cpu 2 | 3",
        "reduce_scatter 32 cpu 2 | 2",
        "receive from 1 tag 5 cpu 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
    assert_eq!(rank(&mut *source, 1), [""; 0]);
    let notes = source.notes();
    assert_eq!(notes.len(), 4, "{notes:?}");
    assert!(notes[0].starts_with("1 dependencies on nodes that are not there"));
}

#[test]
fn groups_and_rooflines_are_as_the_options_say() {
    let folder = Folder::new();
    let path = two_ranks(&folder);
    let groups = Some(folder.file("groups.json", "{\"g\": [1, 0]}"));
    let peak_flops = Some(1e9);
    let mut source = open(&path, &Options { groups, peak_flops, ..Options::default() }).unwrap();
    let found = rank(&mut *source, 0);
    assert_eq!(found[1], "compute 4000000 cpu 1 | 1");
    assert_eq!(found[5], "reduce_scatter 32 of [1, 0] cpu 2 | 2");
    let marked = folder.file("marked.json", "\u{feff}{\"g\": [1, 0]}");
    let mut same = open(&path, &Options { groups: Some(marked), ..Options::default() }).unwrap();
    assert_eq!(rank(&mut *same, 0)[5], found[5]);
    let groups = Some(folder.file("groups.json", "{\"h\": [0]}"));
    let refused = mistake_with(&path, &Options { groups, ..Options::default() });
    assert!(refused.ends_with("node 7: group g is not in the file of groups"), "{refused}");
}

#[test]
fn compressed_files_are_the_same() {
    let folder = Folder::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&file(&program()[1..4])).unwrap();
    let path = folder.file("z.0.et.gz", gzip.finish().unwrap());
    assert_eq!(rank(&mut *opened(&path), 0).len(), 3);
    let refused = mistake_with(&path, &Options { most_bytes: 20, ..Options::default() });
    assert!(!refused.is_empty());
}

/// Nodes of no bytes are nodes without a number: the second is the last that is read.
#[test]
fn a_file_that_expands_to_empty_nodes_is_refused_at_once() {
    let folder = Folder::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let begin = file(&[]);
    gzip.write_all(&begin).unwrap();
    gzip.write_all(&vec![0; 1 << 20]).unwrap();
    let path = folder.file("bomb.0.et", gzip.finish().unwrap());
    let expected = format!("bomb.0.et: byte {}: node 0 is there twice", begin.len() + 1);
    assert_eq!(mistake_with(&path, &Options::of(Format::Chakra)), expected);
}

#[test]
fn control_dependencies_that_make_circles_have_no_effect() {
    let folder = Folder::new();
    let nodes = [node(1, 4, "a").number(4, 2), node(2, 4, "b").number(5, 1)];
    let mut source = opened(&folder.file("circle.et", file(&nodes)));
    assert_eq!(rank(&mut *source, 0), ["compute 0 cpu 1", "compute 0 cpu 1 | 1"]);
    let note = "1 control dependencies have no effect: some wait for each other";
    assert!(source.notes().contains(&note.into()));
}

#[test]
fn samples_of_astra_sim_are_one_collective_each() {
    let mut source = opened(&sample("chakra/all_reduce.0.et"));
    assert_eq!(source.ranks(), 4);
    for number in 0..4 {
        assert_eq!(rank(&mut *source, number), ["all_reduce 1048576 cpu 2"]);
    }
}

#[test]
fn mistakes_name_the_node() {
    let folder = Folder::new();
    let options = Options::of(Format::Chakra);
    let refused = |nodes: &[Message]| mistake_with(&folder.file("wrong.et", file(nodes)), &options);
    let send = || node(3, 5, "send").attribute("comm_size", 9, 8);
    let cases = [
        (vec![send()], "byte 8: node 3: has no comm_dst"),
        (
            vec![send().attribute("comm_dst", 7, 4)],
            "byte 8: node 3: comm_dst must be a rank that has a file, 0 to 0, not 4",
        ),
        (vec![node(3, 4, "a"), node(3, 4, "b")], "byte 16: node 3 is there twice"),
        (
            vec![node(1, 4, "a").number(5, 2), node(2, 4, "b").number(5, 1)],
            "waits for itself, by way of others",
        ),
        (vec![node(1, 12, "a")], "byte 8: type 12 of a node is not known"),
        (
            vec![Message::default().bytes(1, b"text")],
            "byte 8: field 1 of a node has another type: another schema?",
        ),
        (
            vec![node(1, 7, "a").attribute("comm_type", 9, 33).attribute("comm_size", 9, 8)],
            "byte 8: node 1: comm_type 33 is not known",
        ),
    ];
    for (nodes, expected) in cases {
        let found = refused(&nodes);
        assert!(found.starts_with("wrong.et: ") && found.ends_with(expected), "{found}");
    }
    let whole = file(&[node(1, 4, "a"), node(2, 4, "b")]);
    let cut = mistake(&folder.file("cut.et", &whole[..whole.len() - 3]));
    assert!(cut.ends_with("the file is cut off"), "{cut}");
    // Before the end of its first node, and of its metadata.
    for length in [12, 5] {
        let cut = mistake(&folder.file("cut.0.et", &whole[..length]));
        assert!(cut.ends_with("the file is cut off"), "{cut}");
    }
    folder.file("gap.0.et", file(&[]));
    let gap = mistake(&folder.file("gap.2.et", file(&[])));
    assert_eq!(gap, "gap.2.et: has files of ranks up to 2, but none of rank 1");
}
