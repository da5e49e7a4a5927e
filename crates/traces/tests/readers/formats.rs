//! What files are recognised as, and in what dress.

use crate::common::{Folder, opened, rank, sample};
use std::path::Path;
use tailback_traces::{Kind, format};

const TEXTS: [&str; 2] = ["goal/wildcard.goal", "dumpi/testtrace-0000.ascii.txt"];

fn ranks(path: &Path) -> Vec<Vec<String>> {
    let mut source = opened(path);
    (0..source.ranks()).map(|number| rank(&mut *source, number)).collect()
}

/// Copies the files of a sample, changed, and gives the first.
fn copied(folder: &Folder, name: &str, changed: impl Fn(&str) -> String) -> std::path::PathBuf {
    let first = sample(name);
    let ending = first.extension().unwrap();
    for file in std::fs::read_dir(first.parent().unwrap()).unwrap() {
        let file = file.unwrap().path();
        if file.extension() == Some(ending) {
            let text = changed(&std::fs::read_to_string(&file).unwrap());
            folder.file(file.file_name().unwrap().to_str().unwrap(), text);
        }
    }
    folder.path().join(first.file_name().unwrap())
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    for name in TEXTS {
        let folder = Folder::new();
        let marked = copied(&folder, name, |text| format!("\u{feff}{text}"));
        assert_eq!(ranks(&marked), ranks(&sample(name)), "{name}");
    }
    let folder = Folder::new();
    let call = "\u{feff}MPI_Send:14:1:3:1,8,8:1:7:0,0,2:15.5\n";
    let path = folder.file("pmpi-trace-rank-0.txt", call);
    folder.file("pmpi-trace-rank-1.txt", "\u{feff}# nothing\n");
    assert!(ranks(&path)[0].iter().any(|operation| operation.starts_with("send ")));
}

#[test]
fn a_marked_list_names_files_that_are_marked() {
    let folder = Folder::new();
    folder.file("0.txt", "\u{feff}0 send 1 0 8 1\n");
    folder.file("1.txt", "\u{feff}1 recv 0 0 8 1\n");
    let list = folder.file("list", "\u{feff}0.txt\n1.txt\n");
    let together = "\u{feff}0 send 1 0 8 1\n1 recv 0 0 8 1\n";
    assert_eq!(ranks(&list), ranks(&folder.file("all.txt", together)));
}

#[test]
fn dumpi_may_have_tabs_comments_and_empty_lines() {
    let name = "dumpi/testtrace-0000.ascii.txt";
    let folder = Folder::new();
    let dressed = copied(&folder, name, |text| {
        format!("\n# printed by hand\n\t\n{}", text.replace(' ', "\t").replace("]=[", "]\t=\t["))
    });
    assert_eq!(ranks(&dressed), ranks(&sample(name)));
}

#[test]
fn what_has_none_of_the_formats_begins_so() {
    let folder = Folder::new();
    let path = folder.file("image", b"\x89PNG, and much more of it");
    let mistake = format::guess(&path).unwrap_err();
    assert!(mistake.what.starts_with("has none of the formats that are known: goal, "));
    assert_eq!(mistake.kind, Kind::UnknownFormat { start: b"\x89PNG, and much m".to_vec() });
    assert_eq!(format::guess(&folder.path().join("gone")).unwrap_err().kind, Kind::Content);
}
