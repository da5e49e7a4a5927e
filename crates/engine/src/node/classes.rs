//! The traffic classes of messages.

use crate::error::SpecError;
use crate::ids::ProcessId;
use crate::measure::blame::REST;
use crate::spec::Blame;
use crate::workload::Workload;

/// The traffic classes that are given; all others are nodes.
#[derive(Default)]
pub struct Classes {
    processes: Vec<u32>,
    rows: Vec<u32>,
}

impl Classes {
    /// Those of so many processes and of the messages of a workload; of jobs, the jobs.
    ///
    /// # Errors
    /// Not one for each.
    pub fn new(
        blame: Option<&Blame>,
        workload: &Workload,
        processes: usize,
    ) -> Result<Self, SpecError> {
        let Some(blame) = blame else { return Ok(Self::default()) };
        let messages = workload.rows();
        let given = [
            ("blame.classes", &blame.classes, processes, "process"),
            ("blame.message_classes", &blame.message_classes, messages, "message"),
        ];
        for (field, classes, count, what) in given {
            if !classes.is_empty() && classes.len() != count {
                let allowed = format!("must be one for each {what}: {count}");
                return Err(SpecError::new(field, classes.len(), allowed));
            }
            if classes.contains(&REST) {
                return Err(SpecError::new(field, REST, format!("must be below {REST}")));
            }
        }
        let each = 0..if blame.by_process { processes as u32 } else { 0 };
        let given = match workload.jobs() {
            Some(jobs) if blame.classes.is_empty() && !blame.by_process => Some(jobs.to_vec()),
            _ => (!blame.classes.is_empty()).then(|| blame.classes.clone()),
        };
        let processes = given.unwrap_or_else(|| each.collect());
        Ok(Self { processes, rows: blame.message_classes.clone() })
    }

    /// The class of a process, if it is given.
    #[inline]
    pub fn of_process(&self, process: ProcessId) -> Option<u32> {
        self.processes.get(process.index()).copied()
    }

    /// The class of a message of the list, if it is given.
    #[inline]
    pub fn of_row(&self, row: u32) -> Option<u32> {
        self.rows.get(row as usize).copied()
    }
}
