//! Sources as short texts, and files for tests.

#![allow(clippy::format_push_string, reason = "short texts of tests")]

#[path = "../../src/test_files.rs"]
mod test_files;

use std::path::{Path, PathBuf};
use tailback_engine::spec::Collective;
use tailback_engine::workload::trace::{After, Batch, Operation, What};
use tailback_traces::{Mistake, Options, Source, open};
pub use test_files::Folder;

/// A file that is part of the project.
pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces").join(name)
}

/// A file as what it looks like.
pub fn opened(path: &Path) -> Box<dyn Source> {
    open(path, &Options::default()).unwrap()
}

/// All that a rank does, in one batch.
pub fn whole(source: &mut dyn Source, rank: u32) -> Result<Batch, Mistake> {
    let mut batch = Batch::default();
    while source.next(rank, &mut batch)? {}
    Ok(batch)
}

/// What is wrong with a file, opened and read to its end; without the file's folder.
pub fn mistake(path: &Path) -> String {
    mistake_with(path, &Options::default())
}

pub fn mistake_with(path: &Path, options: &Options) -> String {
    let read = open(path, options).and_then(|mut source| {
        (0..source.ranks()).try_for_each(|rank| whole(&mut *source, rank).map(drop))
    });
    let folder = format!("{}/", path.parent().unwrap().display());
    read.unwrap_err().to_string().replace(&folder, "")
}

/// The operations of a rank, one text each: what it is, and after `|` how many operations back
/// those are that it is after; `~`: it is enough that they have begun.
pub fn rank(source: &mut dyn Source, rank: u32) -> Vec<String> {
    texts(&whole(source, rank).unwrap())
}

pub fn texts(batch: &Batch) -> Vec<String> {
    let mut after = &batch.after[..];
    let text = |operation: &Operation| {
        let (mine, rest) = after.split_at(operation.after as usize);
        after = rest;
        let mut text = what(operation, &batch.collectives);
        if !mine.is_empty() {
            text += " |";
        }
        for After { back, begun } in mine {
            text.push_str(&format!(" {back}{}", if *begun { "~" } else { "" }));
        }
        text
    };
    let texts = batch.operations.iter().map(text).collect();
    assert!(after.is_empty(), "as many dependencies as operations say");
    texts
}

fn what(operation: &Operation, collectives: &[Collective]) -> String {
    let any = |number: Option<u32>| number.map_or("*".into(), |number| number.to_string());
    let context = |context| if context == 0 { String::new() } else { format!(" in {context}") };
    let mut text = match operation.what {
        What::Compute(time) => format!("compute {time}"),
        What::Flops(flops) => format!("flops {flops}"),
        What::Send(e) => {
            format!("send {} to {} tag {}{}", e.bytes, e.to, e.tag, context(e.context))
        }
        What::Receive(f) => {
            format!("receive from {} tag {}{}", any(f.from), any(f.tag), context(f.context))
        }
        What::Join => "join".into(),
        What::Collective(number) => collective(&collectives[number as usize]),
    };
    if operation.cpu > 0 {
        text.push_str(&format!(" cpu {}", operation.cpu));
    }
    if operation.nic > 0 {
        text.push_str(&format!(" nic {}", operation.nic));
    }
    text
}

fn collective(collective: &Collective) -> String {
    let mut text = format!("{} {}", collective.operation.name(), collective.bytes);
    if let Some(root) = collective.root {
        text.push_str(&format!(" root {root}"));
    }
    if let Some(sizes) = &collective.sizes {
        text.push_str(&format!(" {sizes:?}"));
    }
    if !collective.receives.is_empty() {
        text.push_str(&format!(" {:?}", collective.receives));
    }
    if let Some(group) = &collective.group {
        text.push_str(&format!(" of {group:?}"));
    }
    text
}

/// Numbers that look random and are the same every time.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}
