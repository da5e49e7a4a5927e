//! Several workloads side by side, each with its own processes, nodes and start.
//!
//! The processes of a job come behind those of the jobs before it. Inside, a job numbers its
//! processes, virtual links and rows from 0, and its nodes by their places in its list; here these
//! numbers become those of the run. Groups of collectives need not: whoever hears of one knows
//! whose it is. What a job does depends on nothing but its description and the seed, so it is the
//! same alone and with others.

mod placing;

use super::collective::Collectives;
use super::external::External;
use super::instruction::{Op, Progress, Send, Several};
use super::rules::Rules;
use super::single::Single;
use super::trace::{Batch, Ranks};
use crate::error::{RunError, SpecError};
use crate::ids::{LinkId, NodeId, ProcessId};
use crate::spec;
use crate::time::Time;
use crate::topology::Topology;
pub use placing::job_machine;

/// All jobs of a run.
pub struct Jobs {
    jobs: Vec<Job>,
    /// Per process: its job.
    job_of: Vec<u32>,
    has_external: bool,
    /// How many traffic classes there are; 0: none is told apart.
    traffic_classes: usize,
}

/// The jobs that a run waits for, where others are in the background.
pub struct Foreground {
    /// They, in order.
    pub jobs: Vec<usize>,
    /// Their processes.
    pub processes: Vec<ProcessId>,
    /// When the last of these begins, and the last row of their lists is due.
    pub latest: Time,
}

/// One job, and where its numbers begin in the run.
struct Job {
    name: String,
    workload: Single,
    nodes: Vec<NodeId>,
    start: Time,
    seed: u64,
    first_process: u32,
    first_link: u32,
    first_row: u32,
    /// The traffic class of its messages; where its workload has several, that of the first.
    traffic: usize,
    /// Whether the run does not wait for it.
    background: bool,
}

impl Job {
    /// The number in the job of a process of the run.
    #[inline]
    fn here(&self, process: ProcessId) -> ProcessId {
        ProcessId(process.0 - self.first_process)
    }

    /// A message of the job with the numbers of the run.
    #[inline]
    fn sent(&self, send: Send) -> Send {
        let link =
            if send.link.is_some() { LinkId(self.first_link + send.link.0) } else { LinkId::NONE };
        let traffic = self.traffic as u8 + send.traffic;
        Send { to: ProcessId(self.first_process + send.to.0), link, traffic, ..send }
    }

    /// How many traffic classes its messages have.
    fn classes(&self) -> usize {
        self.workload.traffic_classes().len().max(1)
    }

    /// Whether its processes have nothing more to do, and its list no more rows.
    fn is_over(&self, now: Time) -> bool {
        let mut processes = (0..self.workload.placement().len()).map(ProcessId::from_index);
        self.latest() <= now && processes.all(|process| self.workload.has_ended(process))
    }

    /// When its last process begins, and its last row is due.
    fn latest(&self) -> Time {
        let starts = self.workload.starts().into_iter().map(|(_, at)| self.start + at).max();
        let last = (self.workload.rows() as u32).checked_sub(1).and_then(|last| self.due(last));
        starts.max(last).unwrap_or(0)
    }

    /// When a row of its message list is due.
    fn due(&self, row: u32) -> Option<Time> {
        match &self.workload {
            Single::Messages(messages) => Some(self.start + messages.due(row)?),
            _ => None,
        }
    }
}

impl Jobs {
    /// Checks jobs against a machine and prepares them.
    pub(crate) fn new(
        spec: &spec::Jobs,
        topology: &Topology,
        seed: u64,
        rules: Rules,
    ) -> Result<Self, SpecError> {
        placing::check(&spec.jobs, topology.nodes)?;
        let mut jobs: Vec<Job> = Vec::with_capacity(spec.jobs.len());
        let (mut job_of, mut links, mut rows) = (Vec::new(), 0, 0);
        for job in &spec.jobs {
            let place = format!("job.{}", job.name);
            let own = job_machine(&job.nodes, topology);
            let seed = seed ^ job.stream;
            let workload = Single::new(&job.workload, &own, seed, rules);
            let workload = workload.map_err(|error| error.inside(&place))?;
            let classes = workload.traffic_classes().len();
            check_classes(job, classes, spec.traffic_classes)?;
            let first_process = job_of.len() as u32;
            job_of.resize(job_of.len() + workload.placement().len(), jobs.len() as u32);
            let (first_link, first_row) = (links as u32, rows as u32);
            links += workload.links();
            rows += workload.rows();
            jobs.push(Job {
                name: job.name.clone(),
                nodes: job.nodes.iter().copied().map(NodeId).collect(),
                start: job.start_ps,
                workload,
                seed,
                first_process,
                first_link,
                first_row,
                traffic: job.traffic_class as usize,
                background: job.background,
            });
        }
        let has_external = jobs.iter().any(|job| job.workload.external().is_some());
        let traffic_classes = spec.traffic_classes as usize;
        Ok(Self { jobs, job_of, has_external, traffic_classes })
    }

    /// See [`super::Workload::traffic_classes`].
    pub fn traffic_classes(&self) -> Vec<Option<u32>> {
        let mut answered_by = vec![None; self.traffic_classes];
        for job in &self.jobs {
            for (class, reply) in job.workload.traffic_classes().into_iter().enumerate() {
                answered_by[job.traffic + class] = reply.map(|reply| job.traffic as u32 + reply);
            }
        }
        answered_by
    }

    /// See [`super::Workload::traffic_of`].
    pub fn traffic_of(&self, process: ProcessId) -> u8 {
        self.of(process).1.traffic as u8
    }

    /// See [`super::Workload::progress_of_class`].
    pub fn progress_of_class(&self, class: usize, sent: u64) -> Progress {
        let is_of = |job: &&Job| (job.traffic..job.traffic + job.classes()).contains(&class);
        match self.jobs.iter().find(is_of) {
            Some(Job { workload: Single::Traffic(traffic), traffic: first, .. }) => {
                traffic.progress_of_class(class - first)
            }
            Some(job) => {
                let dropped = job.workload.progress().dropped;
                Progress { iterations: sent + dropped, dropped }
            }
            None => Progress::default(),
        }
    }

    /// The job of a process, and its number there.
    #[inline]
    fn of(&self, process: ProcessId) -> (ProcessId, &Job) {
        let job = &self.jobs[self.job_of[process.index()] as usize];
        (job.here(process), job)
    }

    #[inline]
    fn of_mut(&mut self, process: ProcessId) -> (ProcessId, &mut Job) {
        let job = &mut self.jobs[self.job_of[process.index()] as usize];
        (job.here(process), job)
    }

    /// The job of a row.
    fn of_row(&self, row: u32) -> Option<&Job> {
        let behind = self.jobs.partition_point(|job| job.first_row <= row);
        self.jobs[..behind].last()
    }

    /// See [`super::Workload::job_names`].
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.jobs.iter().map(|job| job.name.as_str())
    }

    /// See [`super::Workload::jobs`].
    pub fn of_processes(&self) -> &[u32] {
        &self.job_of
    }

    /// See [`super::Workload::jobs_over`].
    pub fn over(&self, now: Time) -> Vec<bool> {
        self.jobs.iter().map(|job| job.is_over(now)).collect()
    }

    /// See [`super::Workload::foreground`].
    pub fn foreground(&self) -> Option<Foreground> {
        let jobs: Vec<usize> =
            (0..self.jobs.len()).filter(|&job| !self.jobs[job].background).collect();
        if jobs.is_empty() || jobs.len() == self.jobs.len() {
            return None;
        }
        let is_of = |&process: &usize| !self.jobs[self.job_of[process] as usize].background;
        let processes = (0..self.job_of.len()).filter(is_of).map(ProcessId::from_index).collect();
        let latest = jobs.iter().map(|&job| self.jobs[job].latest()).max().unwrap_or(0);
        Some(Foreground { jobs, processes, latest })
    }

    /// See [`super::Workload::has_ended`].
    pub fn has_ended(&self, process: ProcessId) -> bool {
        let (here, job) = self.of(process);
        job.workload.has_ended(here)
    }

    /// See [`super::Workload::stream`].
    pub fn stream(&self, process: ProcessId) -> (u64, u32) {
        let (here, job) = self.of(process);
        (job.seed, here.0)
    }

    /// See [`super::Workload::has_external`].
    #[inline]
    pub fn has_external(&self) -> bool {
        self.has_external
    }

    /// See [`super::Workload::external_of`].
    pub fn external_of(&mut self, process: ProcessId) -> Option<(ProcessId, &mut External)> {
        let (here, job) = self.of_mut(process);
        Some((here, job.workload.external_mut()?))
    }

    /// See [`super::Workload::externals`].
    pub fn externals(&self) -> impl Iterator<Item = (u32, &External)> {
        self.jobs.iter().filter_map(|job| Some((job.first_process, job.workload.external()?)))
    }

    /// See [`super::Workload::traces`].
    pub fn traces(&self) -> impl Iterator<Item = (u32, &Ranks)> {
        self.jobs.iter().filter_map(|job| Some((job.first_process, job.workload.ranks()?)))
    }

    /// See [`super::Workload::feed`].
    pub fn feed(&mut self, process: ProcessId, batch: Option<&mut Batch>) -> Result<(), SpecError> {
        let (here, job) = self.of_mut(process);
        let place = format!("job.{}", job.name);
        job.workload.feed(here, batch).map_err(|error| error.inside(&place))
    }

    /// See [`super::Workload::asks`].
    pub fn asks(&self) -> bool {
        self.jobs.iter().any(|job| job.workload.asks())
    }

    /// See [`super::Workload::is_answered`].
    pub fn is_answered(&self) -> bool {
        self.jobs.iter().all(|job| job.workload.is_answered())
    }

    /// See [`super::Workload::take_answered`].
    pub fn take_answered(&mut self) -> Option<Vec<ProcessId>> {
        if !self.is_answered() {
            return None;
        }
        let mut answered = Vec::new();
        for job in &mut self.jobs {
            let first = job.first_process;
            let here = job.workload.take_answered().into_iter().flatten();
            answered.extend(here.map(|process| ProcessId(first + process.0)));
        }
        Some(answered)
    }

    /// See [`super::Workload::rings`].
    #[inline(never)]
    pub fn rings(&mut self, process: ProcessId, tag: u32) {
        let (here, job) = self.of_mut(process);
        job.workload.rings(here, tag);
    }

    /// See [`super::Workload::stands_still`].
    pub fn stands_still(&self, at: Time, waits: bool) -> Option<RunError> {
        // A job in the background may be ended in the middle.
        self.jobs.iter().filter(|job| waits || !job.background).find_map(|job| {
            let error = job.workload.stands_still(at, waits)?;
            Some(error.of_job(&job.name))
        })
    }

    /// See [`super::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        let place = |job: &Job| {
            let places = job.workload.placement();
            places.into_iter().map(|node| job.nodes[node.index()]).collect::<Vec<_>>()
        };
        self.jobs.iter().flat_map(place).collect()
    }

    /// See [`super::Workload::links`].
    pub fn links(&self) -> usize {
        self.jobs.iter().map(|job| job.workload.links()).sum()
    }

    /// See [`super::Workload::starts`].
    pub fn starts(&self) -> Vec<(ProcessId, Time)> {
        let starts = |job: &Job| {
            let (first, begin) = (job.first_process, job.start);
            let starts = job.workload.starts().into_iter();
            starts.map(move |(process, at)| (ProcessId(first + process.0), begin + at))
        };
        self.jobs.iter().flat_map(starts).collect()
    }

    /// See [`super::Workload::due_after`].
    pub fn due_after(&self, row: u32) -> Option<Time> {
        let job = self.of_row(row)?;
        job.due(row - job.first_row + 1)
    }

    /// See [`super::Workload::first_rows`].
    pub fn first_rows(&self) -> Vec<(u32, Time)> {
        self.jobs.iter().filter_map(|job| Some((job.first_row, job.due(0)?))).collect()
    }

    /// See [`super::Workload::rows`].
    pub fn rows(&self) -> usize {
        self.jobs.iter().map(|job| job.workload.rows()).sum()
    }

    /// See [`super::Workload::row`].
    pub fn row(&self, row: u32) -> Option<(ProcessId, Send)> {
        let job = self.of_row(row)?;
        let (process, send) = job.workload.row(row - job.first_row)?;
        Some((ProcessId(job.first_process + process.0), job.sent(send)))
    }

    /// See [`super::Workload::progress`].
    pub fn progress(&self) -> Progress {
        let mut sum = Progress::default();
        for progress in self.progress_of_jobs() {
            sum.iterations += progress.iterations;
            sum.dropped += progress.dropped;
        }
        sum
    }

    /// What the processes of every job have done since time 0.
    pub fn progress_of_jobs(&self) -> impl Iterator<Item = Progress> {
        self.jobs.iter().map(|job| job.workload.progress())
    }

    /// See [`super::Workload::progress_of`].
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        let (here, job) = self.of(process);
        job.workload.progress_of(here)
    }

    /// See [`super::Workload::next`].
    // Not in line: other workloads pay nothing for it.
    #[inline(never)]
    pub fn next(&mut self, process: ProcessId, waiting_data: impl Fn() -> u32) -> Option<Op> {
        let (here, job) = self.of_mut(process);
        Some(match job.workload.next(here, waiting_data)? {
            Op::Send(send) => Op::Send(job.sent(send)),
            op => op,
        })
    }

    /// See [`super::Workload::several`].
    pub fn several(&self, process: ProcessId) -> Option<Several> {
        let (here, job) = self.of(process);
        let Several { to, send } = job.workload.several(here)?;
        Some(Several { to, send: job.sent(send) })
    }

    /// See [`super::Workload::pass`].
    #[inline(never)]
    pub fn pass(&mut self, process: ProcessId, from: Time, before: Time) -> Time {
        let (here, job) = self.of_mut(process);
        job.workload.pass(here, from, before)
    }

    /// See [`super::Workload::computed`].
    #[inline(never)]
    pub fn computed(&mut self, process: ProcessId) {
        let (here, job) = self.of_mut(process);
        job.workload.computed(here);
    }

    /// See [`super::Workload::accepts`].
    pub fn accepts(&mut self, process: ProcessId, tag: u32) -> bool {
        let (here, job) = self.of_mut(process);
        job.workload.accepts(here, tag)
    }

    /// See [`super::Workload::received`].
    pub fn received(&mut self, process: ProcessId, tag: u32) -> bool {
        let (here, job) = self.of_mut(process);
        job.workload.received(here, tag)
    }

    /// See [`super::Workload::acknowledged`].
    pub fn acknowledged(&mut self, process: ProcessId, tag: u32, blocking: bool) -> bool {
        let (here, job) = self.of_mut(process);
        job.workload.acknowledged(here, tag, blocking)
    }

    /// See [`super::Workload::call_of`].
    pub fn call_of(&self, process: ProcessId) -> u32 {
        let (here, job) = self.of(process);
        job.workload.call_of(here)
    }

    /// See [`super::Workload::waits_for_all`].
    pub fn waits_for_all(&self, process: ProcessId) -> bool {
        self.of(process).1.workload.waits_for_all()
    }

    /// See [`super::Workload::collectives`].
    pub fn collectives(&mut self, process: ProcessId) -> Option<(ProcessId, &mut Collectives)> {
        let (here, job) = self.of_mut(process);
        job.workload.collectives(here)
    }

    /// See [`super::Workload::refused`].
    pub fn refused(&mut self) -> Option<SpecError> {
        self.jobs.iter_mut().find_map(|job| {
            let error = job.workload.refused()?;
            Some(error.inside(&format!("job.{}", job.name)))
        })
    }

    /// See [`super::Workload::waits_for`].
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        let (here, job) = self.of(process);
        let what = job.workload.waits_for(here)?;
        Some(format!("{what} (it is process {} of job {})", here.0, job.name))
    }
}

/// Refuses traffic classes of a job that the network does not know.
fn check_classes(job: &spec::Job, own: usize, known: u32) -> Result<(), SpecError> {
    let last = job.traffic_class as usize + own.max(1);
    if last <= known as usize || own == 0 && known == 0 && job.traffic_class == 0 {
        return Ok(());
    }
    let allowed = format!("must be that of the first of {} of {known}", own.max(1));
    let error = SpecError::new("traffic_class", job.traffic_class, allowed);
    Err(error.inside(&format!("job.{}", job.name)))
}
