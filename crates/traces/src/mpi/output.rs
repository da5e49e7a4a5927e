//! What the calls of a rank are turned into.

use super::communicators::Contexts;
use crate::calls::Calls;
use std::collections::BTreeMap;
use tailback_engine::workload::trace::Batch;

/// What calls of a rank are added to.
pub struct Output<'a> {
    pub batch: &'a mut Batch,
    pub expected: &'a mut Vec<u64>,
    pub calls: &'a mut Calls,
    pub contexts: &'a mut Contexts,
    pub ignored: &'a mut BTreeMap<String, u64>,
}
