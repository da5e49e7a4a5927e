//! Collectives: what several processes do together.

use serde::{Deserialize, Serialize};

/// What the members of a group do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Nobody goes on before all have come.
    Barrier,
    /// What the root has, everybody gets.
    Broadcast,
    /// The root gets the sum of what all have.
    Reduce,
    /// Everybody gets it.
    AllReduce,
    /// The root gets a block of everybody.
    Gather,
    /// Everybody gets a block of the root.
    Scatter,
    /// Everybody gets a block of everybody.
    AllGather,
    /// Everybody gets its block of the sum.
    ReduceScatter,
    /// Everybody gets a block of its own of everybody.
    AllToAll,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Barrier,
        Self::Broadcast,
        Self::Reduce,
        Self::AllReduce,
        Self::Gather,
        Self::Scatter,
        Self::AllGather,
        Self::ReduceScatter,
        Self::AllToAll,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::AllReduce => "all_reduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::AllGather => "all_gather",
            Self::ReduceScatter => "reduce_scatter",
            Self::AllToAll => "all_to_all",
        }
    }

    /// Whether one member is its root.
    pub fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Reduce | Self::Gather | Self::Scatter)
    }

    /// Whether it is about a block for each member, whose sizes may differ.
    pub fn has_blocks(self) -> bool {
        matches!(
            self,
            Self::Gather | Self::Scatter | Self::AllGather | Self::ReduceScatter | Self::AllToAll
        )
    }
}

/// How a collective is made of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// All from or to one member at once; of all-to-all and all-gather from everybody to everybody.
    Linear,
    /// Along a line, one to the next, perhaps in segments.
    Chain,
    /// Along a binary tree, perhaps in segments.
    BinaryTree,
    /// Along a binomial tree.
    Binomial,
    /// Along a tree that is binomial to the base 4.
    Knomial,
    /// A broadcast as a scatter and an all-gather by recursive doubling.
    ScatterDoubling,
    /// A broadcast as a scatter and an all-gather around a ring.
    ScatterRing,
    /// To the member 1, 2, 4, … places on.
    Dissemination,
    /// A token that goes around twice.
    DoubleRing,
    /// With the member whose number differs by 1, 2, 4, …; off powers of two some work for two.
    RecursiveDoubling,
    /// The same with half of the data each time, largest distance first.
    RecursiveHalving,
    /// Reduce-scatter by halving, then gather or all-gather by doubling [Rabenseifner 2004].
    Rabenseifner,
    /// Around a ring; an all-reduce as reduce-scatter and all-gather [Patarasuk & Yuan 2009].
    Ring,
    /// The same, in segments.
    SegmentedRing,
    /// Bruck's, with blocks for 1, 2, 4, … places on together [Bruck et al. 1997].
    Bruck,
    /// With one partner after the other.
    Pairwise,
    /// With neighbours on a ring to either side in turn; for even numbers of members.
    NeighbourExchange,
    /// To one member and from there to all, one behind the other.
    ByRoot,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Linear,
        Self::Chain,
        Self::BinaryTree,
        Self::Binomial,
        Self::Knomial,
        Self::ScatterDoubling,
        Self::ScatterRing,
        Self::Dissemination,
        Self::DoubleRing,
        Self::RecursiveDoubling,
        Self::RecursiveHalving,
        Self::Rabenseifner,
        Self::Ring,
        Self::SegmentedRing,
        Self::Bruck,
        Self::Pairwise,
        Self::NeighbourExchange,
        Self::ByRoot,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Chain => "chain",
            Self::BinaryTree => "binary_tree",
            Self::Binomial => "binomial",
            Self::Knomial => "knomial",
            Self::ScatterDoubling => "scatter_doubling",
            Self::ScatterRing => "scatter_ring",
            Self::Dissemination => "dissemination",
            Self::DoubleRing => "double_ring",
            Self::RecursiveDoubling => "recursive_doubling",
            Self::RecursiveHalving => "recursive_halving",
            Self::Rabenseifner => "rabenseifner",
            Self::Ring => "ring",
            Self::SegmentedRing => "segmented_ring",
            Self::Bruck => "bruck",
            Self::Pairwise => "pairwise",
            Self::NeighbourExchange => "neighbour_exchange",
            Self::ByRoot => "by_root",
        }
    }
}

/// Rules that choose an algorithm by size and number of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// Those of MPICH.
    #[default]
    Mpich,
    /// Those of Open MPI.
    OpenMpi,
}

/// What a collective takes that is no messages: `base + per_log2 · log2 n + per_byte · bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// In any case; may be negative, as long as the sum is not.
    #[serde(default)]
    pub base_ps: i64,
    /// For each doubling of the number of members.
    #[serde(default)]
    pub per_log2_ps: i64,
    /// For each byte, in femtoseconds.
    #[serde(default)]
    pub per_byte_fs: u64,
}

/// What a collective is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Messages, by this algorithm.
    Algorithm(Algorithm),
    /// Messages, by the algorithm that a table chooses.
    Table(Table),
    /// No messages: all go on when the last has come, and this time has passed.
    Price(Price),
}

/// What collectives are on a machine, where their instructions do not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "the operations")]
pub struct Collectives {
    /// The table for those that are not named.
    pub table: Table,
    pub barrier: Option<Method>,
    pub broadcast: Option<Method>,
    pub reduce: Option<Method>,
    pub all_reduce: Option<Method>,
    pub gather: Option<Method>,
    pub scatter: Option<Method>,
    pub all_gather: Option<Method>,
    pub reduce_scatter: Option<Method>,
    pub all_to_all: Option<Method>,
    /// Processor time to add a byte that has come to one's own, in femtoseconds.
    pub reduce_fs_per_byte: u64,
}

impl Collectives {
    /// What an operation is.
    pub fn method(&self, operation: Operation) -> Method {
        let named = match operation {
            Operation::Barrier => self.barrier,
            Operation::Broadcast => self.broadcast,
            Operation::Reduce => self.reduce,
            Operation::AllReduce => self.all_reduce,
            Operation::Gather => self.gather,
            Operation::Scatter => self.scatter,
            Operation::AllGather => self.all_gather,
            Operation::ReduceScatter => self.reduce_scatter,
            Operation::AllToAll => self.all_to_all,
        };
        named.unwrap_or(Method::Table(self.table))
    }
}

/// One collective, as a process that takes part is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collective {
    /// What is done.
    pub operation: Operation,
    /// Length of what each has, or of each block.
    #[serde(default)]
    pub bytes: u64,
    /// Instead: the length of each member's block; of an all-to-all what this process sends to each.
    #[serde(default)]
    pub sizes: Option<Vec<u64>>,
    /// Of such an all-to-all: what this process gets from each.
    #[serde(default)]
    pub receives: Vec<u64>,
    /// The processes that take part, in order; absent: all.
    #[serde(default)]
    pub group: Option<Vec<u32>>,
    /// The process that is the root; absent: the first of the group.
    #[serde(default)]
    pub root: Option<u32>,
    /// What it is; absent: what the machine says.
    #[serde(default)]
    pub method: Option<Method>,
    /// Longest piece that is passed on alone, where the algorithm has segments; absent: all at once.
    #[serde(default)]
    pub segment: Option<u32>,
}

impl Collective {
    /// A barrier.
    pub fn barrier(group: Option<Vec<u32>>, method: Option<Method>) -> Self {
        Self { group, method, ..Self::new(Operation::Barrier, 0) }
    }

    /// Of all processes, with as many bytes each, as the machine has it.
    pub fn new(operation: Operation, bytes: u64) -> Self {
        Self {
            operation,
            bytes,
            sizes: None,
            receives: Vec::new(),
            group: None,
            root: None,
            method: None,
            segment: None,
        }
    }
}
