//! Nodes of Chakra execution traces.

use super::message::{Value, fields, numbers};

/// What a node is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing that takes time.
    Nothing,
    /// Reading or writing memory.
    Memory,
    /// Computing.
    Compute,
    /// Sending a message.
    Send,
    /// Receiving one.
    Receive,
    /// A collective.
    Collective,
}

/// A node as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its number in its file.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub kind: Kind,
    /// The numbers of those that it is after because of what they give it.
    pub after: Vec<u64>,
    /// The numbers of those that it is after otherwise.
    pub behind: Vec<u64>,
    /// As recorded.
    pub micros: u64,
    /// Whether it runs on a CPU rather than on a GPU.
    pub is_on_cpu: bool,
    /// Operations of computing.
    pub operations: Option<f64>,
    /// Bytes of computing.
    pub bytes: Option<f64>,
    /// The kind of the collective.
    pub collective: Option<u64>,
    /// Bytes that are sent.
    pub size: Option<u64>,
    /// Ends and tag of a message.
    pub source: Option<u64>,
    /// Where it goes.
    pub destination: Option<u64>,
    /// Its tag.
    pub tag: u64,
    /// The root of the collective.
    pub root: Option<u64>,
    /// The name of the group.
    pub group: Option<String>,
}

/// Whether a message is the metadata that a file begins with: a version, and attributes.
pub fn is_metadata(message: &[u8]) -> bool {
    fields(message).all(|field| matches!(field, Some((1 | 2, Value::Bytes(_)))))
}

/// A message as a node.
///
/// # Errors
/// What is wrong with it.
pub fn node(message: &[u8]) -> Result<Node, String> {
    let mut node = Node {
        id: 0,
        name: String::new(),
        kind: Kind::Nothing,
        after: Vec::new(),
        behind: Vec::new(),
        micros: 0,
        is_on_cpu: false,
        operations: None,
        bytes: None,
        collective: None,
        size: None,
        source: None,
        destination: None,
        tag: 0,
        root: None,
        group: None,
    };
    for field in fields(message) {
        let (number, value) = field.ok_or("is no message of protobuf")?;
        let wrong = || format!("field {number} of a node has another type: another schema?");
        match (number, value) {
            (1, Value::Number(id)) => node.id = id,
            (2, Value::Bytes(name)) => node.name = String::from_utf8_lossy(name).into(),
            (3, Value::Number(kind)) => {
                node.kind =
                    kind_of(kind).ok_or_else(|| format!("type {kind} of a node is not known"))?;
            }
            (4, value) => numbers(value, &mut node.behind).ok_or_else(wrong)?,
            (5, value) => numbers(value, &mut node.after).ok_or_else(wrong)?,
            (7, Value::Number(micros)) => node.micros = micros,
            (10, Value::Bytes(attribute)) => node.attribute(attribute)?,
            (6, Value::Number(_)) | (8 | 9, Value::Bytes(_)) | (11.., _) => {}
            _ => return Err(wrong()),
        }
    }
    Ok(node)
}

fn kind_of(number: u64) -> Option<Kind> {
    Some(match number {
        0 | 1 => Kind::Nothing,
        2 | 3 => Kind::Memory,
        4 => Kind::Compute,
        5 => Kind::Send,
        6 => Kind::Receive,
        7 => Kind::Collective,
        _ => return None,
    })
}

impl Node {
    fn attribute(&mut self, message: &[u8]) -> Result<(), String> {
        let (mut name, mut value) = (&b""[..], None);
        for field in fields(message) {
            match field.ok_or("an attribute is no message of protobuf")? {
                (1, Value::Bytes(bytes)) => name = bytes,
                (number, found) if number >= 3 => value = Some((number, found)),
                _ => {}
            }
        }
        let number = || {
            let found = value.and_then(|(number, value)| whole(number, value));
            found.ok_or_else(|| {
                format!("attribute {} must be a number from 0", crate::words::shown(name))
            })
        };
        match name {
            b"is_cpu_op" => self.is_on_cpu = number()? != 0.0,
            b"num_ops" => self.operations = Some(number()?),
            b"tensor_size" => self.bytes = Some(number()?),
            b"comm_type" => self.collective = Some(number()? as u64),
            b"comm_size" => self.size = Some(number()? as u64),
            b"comm_src" => self.source = Some(number()? as u64),
            b"comm_dst" => self.destination = Some(number()? as u64),
            b"comm_tag" => self.tag = number()? as u64,
            b"root_rank" | b"comm_root" => self.root = Some(number()? as u64),
            b"pg_name" => {
                self.group = match value {
                    Some((_, Value::Bytes(text))) => Some(String::from_utf8_lossy(text).into()),
                    _ => Some(format!("{}", number()? as u64)),
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The value of an attribute as a number, of whatever type of field it is; writers differ.
fn whole(field: u64, value: Value<'_>) -> Option<f64> {
    let number = match (field, value) {
        (3, Value::Long(bytes)) => f64::from_le_bytes(bytes),
        (5, Value::Short(bytes)) => f64::from(f32::from_le_bytes(bytes)),
        (15 | 17, Value::Number(bits)) => {
            ((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()) as f64
        }
        (7 | 9, Value::Number(bits)) => bits.cast_signed() as f64,
        (_, Value::Number(number)) => number as f64,
        (19 | 23, Value::Short(bytes)) => f64::from(u32::from_le_bytes(bytes)),
        (21 | 25, Value::Long(bytes)) => u64::from_le_bytes(bytes) as f64,
        (29, Value::Bytes(text)) => std::str::from_utf8(text).ok()?.parse().ok()?,
        _ => return None,
    };
    (number.is_finite() && (0.0..1e18).contains(&number)).then_some(number)
}
