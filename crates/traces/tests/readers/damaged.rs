//! Files that are cut off or changed: a mistake or another program, but never a panic.

use crate::common::{Folder, Numbers, sample, whole};
use std::path::Path;
use tailback_traces::{Format, Mistake, Options, open};

const SAMPLES: [&str; 7] = [
    "goal/wildcard.goal",
    "goal/allreduce_ring_8_1m.goal",
    "goal/allreduce_ring_8_1m.bin",
    "chakra/all_reduce.0.et",
    "dumpi/testtrace-0000.ascii.txt",
    "netrace/shrtex.tra.bz2",
    "simgrid_ti/nas_is_s_4/rank0.txt",
];

fn read(path: &Path, options: &Options) -> Result<(), Mistake> {
    let mut source = open(path, options)?;
    (0..source.ranks().min(64)).try_for_each(|rank| whole(&mut *source, rank).map(drop))
}

#[test]
fn damaged_files_are_mistakes_of_one_line() {
    let folder = Folder::new();
    let mut numbers = Numbers(7);
    for name in SAMPLES {
        let good = std::fs::read(sample(name)).unwrap();
        for case in 0..60 {
            let mut bytes = good.clone();
            if case % 3 == 0 {
                bytes.truncate(numbers.below(good.len()));
            }
            for _ in 0..case % 5 {
                let at = numbers.below(bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = numbers.below(256) as u8;
                }
            }
            let path = folder.file("damaged", bytes);
            if let Err(mistake) = read(&path, &Options::default()) {
                let text = mistake.to_string();
                assert!(!text.contains('\n') && !mistake.what.is_empty(), "{name}: {text}");
            }
        }
    }
}

#[test]
fn any_bytes_can_be_given_for_any_format() {
    let folder = Folder::new();
    let mut numbers = Numbers(3);
    for length in [0, 1, 7, 8, 9, 100, 5000] {
        let bytes: Vec<u8> = (0..length).map(|_| numbers.below(256) as u8).collect();
        let path = folder.file("noise", bytes);
        for format in Format::ALL {
            let options = Options::of(format);
            assert!(read(&path, &options).is_err(), "{length} bytes as {}", format.name());
        }
    }
}
