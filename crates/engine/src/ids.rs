//! Names of things: small typed numbers, so that a channel is never a node.

/// A small typed number that names a place in an array.
pub trait Id: Copy {
    /// The number as an array index.
    fn index(self) -> usize;
    /// The id of array position `index`.
    fn from_index(index: usize) -> Self;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Stands for "none".
            pub const NONE: Self = Self(u32::MAX);

            /// The number as an array index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of array position `index`.
            #[inline]
            pub fn from_index(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                Self(index as u32)
            }

            /// Whether this is a real id rather than [`Self::NONE`].
            #[inline]
            pub fn is_some(self) -> bool {
                self != Self::NONE
            }
        }

        impl Id for $name {
            #[inline]
            fn index(self) -> usize {
                self.index()
            }

            #[inline]
            fn from_index(index: usize) -> Self {
                Self::from_index(index)
            }
        }
    };
}

id!(
    /// A timer that runs.
    TimerId
);
id!(
    /// A node: processor, memory and network interface.
    NodeId
);
id!(
    /// A switch (router).
    SwitchId
);
id!(
    /// A directed channel.
    ChannelId
);
id!(
    /// A hunt group: the parallel channels from one place to another.
    GroupId
);
id!(
    /// A process of the workload.
    ProcessId
);
id!(
    /// A packet in flight: its place in the packet pool, reused after delivery.
    PacketId
);
id!(
    /// A message in progress: its place in the message pool, reused when done.
    MessageId
);
id!(
    /// A virtual link that several messages share.
    LinkId
);
id!(
    /// A message at the node it is for: its place among those not yet handed over.
    ArrivalId
);
id!(
    /// A group of processes that carry out collectives together.
    TeamId
);
id!(
    /// An instant at which something could go on, and why: see [`crate::measure::causes`].
    InstantId
);
