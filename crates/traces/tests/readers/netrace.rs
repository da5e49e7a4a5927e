//! netrace.

use crate::common::{Folder, mistake, mistake_with, opened, rank, sample, whole};
use std::io::Read as _;
use tailback_engine::workload::trace::What;
use tailback_traces::{Options, open};

/// Cycle, number, type, source, destination, and who waits for it.
type Packet = (u64, u32, u8, u8, u8, &'static [u32]);

fn trace(packets: &[Packet]) -> Vec<u8> {
    let mut bytes = vec![0; 72];
    bytes[..4].copy_from_slice(&0x484a_5455u32.to_le_bytes());
    bytes[38] = 3;
    bytes[48..56].copy_from_slice(&(packets.len() as u64).to_le_bytes());
    bytes[56..60].copy_from_slice(&5u32.to_le_bytes());
    bytes.extend(b"notes");
    for (cycle, number, kind, from, to, later) in packets {
        bytes.extend(cycle.to_le_bytes());
        bytes.extend(number.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend([*kind, *from, *to, 0x02, later.len() as u8]);
        later.iter().for_each(|later| bytes.extend(later.to_le_bytes()));
    }
    bytes
}

#[test]
fn packets_wait_for_their_cycle_and_for_those_ejected_here() {
    let packets = [
        (0, 0, 1, 0, 1, &[2][..]),
        (5, 1, 4, 2, 1, &[2]),
        (9, 2, 2, 1, 0, &[]),
        (9, 3, 1, 1, 2, &[]),
    ];
    let folder = Folder::new();
    let path = folder.file("trace", trace(&packets));
    let mut source = open(&path, &Options { cycle_ps: 500, ..Options::default() }).unwrap();
    let expected = [
        "compute 0 cpu 1",
        "receive from 0 tag 0 | 1",
        "compute 2500 cpu 1 | 2",
        "receive from 2 tag 1 | 1",
        "compute 2000 cpu 1 | 2",
        "send 72 to 0 tag 2 | 1 4 2",
        "send 8 to 2 tag 3 | 2",
    ];
    assert_eq!(rank(&mut *source, 1), expected);
    let expected = [
        "compute 0 cpu 1",
        "send 8 to 1 tag 0 | 1",
        "compute 4500 cpu 1 | 2",
        "receive from 1 tag 2 | 1",
    ];
    assert_eq!(rank(&mut *source, 0), expected);
}

/// Counted by another program.
#[test]
fn samples_have_their_packets_and_dependencies() {
    for (name, packets, dependencies) in [("shrtex", 12, 9), ("example", 175, 136)] {
        let mut source = opened(&sample(&format!("netrace/{name}.tra.bz2")));
        assert_eq!(source.ranks(), 64);
        let (mut sends, mut receives, mut after) = (0, 0, 0);
        for number in 0..64 {
            let batch = whole(&mut *source, number).unwrap();
            for operation in &batch.operations {
                match operation.what {
                    What::Send(_) => (sends, after) = (sends + 1, after + operation.after - 1),
                    What::Receive(_) => receives += 1,
                    _ => {}
                }
            }
        }
        assert_eq!((sends, receives, after), (packets, packets, dependencies), "{name}");
    }
}

#[test]
fn mistakes_name_the_byte() {
    let folder = Folder::new();
    let cases: [(&[Packet], &str); 5] = [
        (&[(0, 0, 1, 3, 1, &[])], "byte 77: node 3 is not there: there are 3"),
        (&[(0, 0, 7, 0, 1, &[])], "byte 77: type 7 is no type of netrace"),
        (&[(0, 4, 1, 0, 1, &[3])], "byte 77: packet 3 waits for packet 4, which comes after it"),
        (
            &[(5, 0, 1, 0, 1, &[]), (4, 1, 1, 0, 1, &[])],
            "byte 98: cycle 4 of packet 1 is before that of another, or too late",
        ),
        (
            &[(0, 0, 1, 0, 1, &[1]), (0, 1, 1, 2, 1, &[])],
            "byte 102: packet 1 of node 2 waits for packet 0, which is ejected at node 1: a node knows of its own packets only",
        ),
    ];
    for (packets, expected) in cases {
        let found = mistake(&folder.file("wrong", trace(packets)));
        assert_eq!(found, format!("wrong: {expected}"));
    }
    let good = trace(&[(0, 0, 1, 0, 1, &[])]);
    let cut = mistake(&folder.file("cut", &good[..good.len() - 1]));
    assert_eq!(cut, "cut: byte 77: needs 21 bytes here; the file is cut off");
    let path = sample("netrace/example.tra.bz2");
    let whole = std::fs::read(&path).unwrap();
    let cut = mistake(&folder.file("cut.bz2", &whole[..whole.len() / 2]));
    assert!(cut.starts_with("cut.bz2: byte 0: cannot be read"), "{cut}");
    let refused = mistake_with(&path, &Options { most_bytes: 1000, ..Options::default() });
    assert!(refused.ends_with("expands to more than 1000 bytes; if it is meant, allow more"));
}

/// What stands behind the last packet, and a compressed file that is cut off, is no trace.
#[test]
fn nothing_follows_the_last_packet() {
    let folder = Folder::new();
    let packed = std::fs::read(sample("netrace/example.tra.bz2")).unwrap();
    for cut in 1..=10 {
        let refused = mistake(&folder.file("cut.tra.bz2", &packed[..packed.len() - cut]));
        assert!(refused.starts_with("cut.tra.bz2: "), "{refused}");
    }
    let refused = mistake(&folder.file("more.tra.bz2", [&packed[..], b"rubbish"].concat()));
    assert!(refused.starts_with("more.tra.bz2: "), "{refused}");
    let mut plain = Vec::new();
    bzip2::read::BzDecoder::new(&packed[..]).read_to_end(&mut plain).unwrap();
    assert_eq!(opened(&folder.file("plain.tra", &plain)).ranks(), 64);
    plain.push(0);
    let refused = mistake(&folder.file("plain.tra", &plain));
    let expected = "has more bytes behind the last packet that its header counts";
    assert!(refused.ends_with(expected), "{refused}");
}
