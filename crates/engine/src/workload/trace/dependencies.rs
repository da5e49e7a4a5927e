//! Which operations of ranks may begin: those for which all has come that they are after.

use super::operation::{After, Batch, Operation, What};
use super::slab::{NOWHERE, Slab};
use super::window::Window;
use crate::error::SpecError;
use crate::spec::Collective;

/// The operations of all ranks that have been read and are not done, and what they are after.
///
/// An operation is known by its number among those of its rank. It becomes *ready* once, when all
/// that it is after has begun or is done; whoever carries it out says when it has [`begun`] and
/// when it is [`done`]. What becomes ready is appended to a list, in the order of its numbers.
///
/// [`begun`]: Self::begun
/// [`done`]: Self::done
pub struct Dependencies {
    ranks: Vec<Rank>,
    edges: Slab<Edge>,
    /// Of pending operations, at the places that these name.
    collectives: Vec<Collective>,
    free_collectives: Vec<u32>,
    /// Operations of the latest batches whose ranks were told of them after one that they are
    /// behind had begun, or was done; none: nobody wants to know.
    late: Option<Vec<Late>>,
}

/// An operation that a rank was told of late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    pub rank: u32,
    pub number: u32,
    pub cpu: u8,
    /// The number of what it is behind.
    pub earlier: u32,
}

/// What is known of a rank as a whole.
#[derive(Default)]
struct Rank {
    /// Its operations that are not done.
    window: Window<Pending>,
    /// Whether the last operation of its latest batch has begun, or there is none.
    wants: bool,
    has_ended: bool,
}

/// An operation that is not done.
#[derive(Clone, Copy)]
struct Pending {
    what: What,
    call: u32,
    /// How much of what it is after has not come.
    awaits: u32,
    /// Those that may begin when it has begun, and when it is done: the latest first.
    after_begun: u32,
    after_done: u32,
    cpu: u8,
    nic: u8,
    has_begun: bool,
    /// Whether the one right behind it may begin when it has begun, or is done: of programs that
    /// do one thing after the other nothing else is kept.
    next_after_begun: bool,
    next_after_done: bool,
}

/// That an operation is after another.
#[derive(Clone, Copy)]
struct Edge {
    /// The number of the later one.
    later: u32,
    /// The next of the same earlier one.
    next: u32,
}

impl Dependencies {
    /// Those of so many ranks, of which nothing has been read.
    pub fn new(ranks: u32) -> Self {
        let rank = || Rank { wants: true, ..Rank::default() };
        Self {
            ranks: (0..ranks).map(|_| rank()).collect(),
            edges: Slab::default(),
            collectives: Vec::new(),
            free_collectives: Vec::new(),
            late: None,
        }
    }

    /// The same, which also keeps for [`Self::take_late`] what that tells.
    #[must_use]
    pub fn keeping_late(self) -> Self {
        Self { late: Some(Vec::new()), ..self }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// Takes the next operations of a rank; appends to `ready` those that may begin.
    ///
    /// # Errors
    /// Operations that are after none that there is, or that name ranks or collectives that are
    /// not there. Nothing of the batch has been taken then.
    pub fn extend(
        &mut self,
        rank: u32,
        batch: &Batch,
        ready: &mut Vec<u32>,
    ) -> Result<(), SpecError> {
        self.check(rank, batch)?;
        let mut after = batch.after.iter();
        for operation in &batch.operations {
            let number = self.ranks[rank as usize].window.next();
            let own = after.by_ref().take(operation.after as usize);
            let awaits = own
                .filter(|&&after| self.waits((rank, operation.cpu), number, after))
                .count() as u32;
            let what = match operation.what {
                What::Collective(which) => {
                    let call = batch.collectives[which as usize].clone();
                    What::Collective(self.keep(call))
                }
                what => what,
            };
            self.ranks[rank as usize].window.push(Pending {
                what,
                call: operation.call,
                awaits,
                after_begun: NOWHERE,
                after_done: NOWHERE,
                cpu: operation.cpu,
                nic: operation.nic,
                has_begun: false,
                next_after_begun: false,
                next_after_done: false,
            });
            if awaits == 0 {
                ready.push(number);
            }
        }
        let rank = &mut self.ranks[rank as usize];
        rank.wants &= batch.operations.is_empty();
        Ok(())
    }

    /// Notes that the next operation of a rank is after another, unless that has come.
    #[inline]
    fn waits(&mut self, (rank, cpu): (u32, u8), number: u32, after: After) -> bool {
        let earlier = number - after.back;
        let of = self.ranks[rank as usize].window.get_mut(earlier);
        let Some(of) = of.filter(|of| !(after.begun && of.has_begun)) else {
            // It is done, or has begun.
            if let Some(late) = &mut self.late {
                late.push(Late { rank, number, cpu, earlier });
            }
            return false;
        };
        let (is_next, list) = if after.begun {
            (&mut of.next_after_begun, &mut of.after_begun)
        } else {
            (&mut of.next_after_done, &mut of.after_done)
        };
        if after.back == 1 && !std::mem::replace(is_next, true) {
            return true;
        }
        *list = self.edges.insert(Edge { later: number, next: *list });
        true
    }

    /// Whether a batch of a rank can be taken.
    fn check(&self, rank: u32, batch: &Batch) -> Result<(), SpecError> {
        let mut after = batch.after.iter();
        let first = self.ranks[rank as usize].window.next();
        for (at, operation) in batch.operations.iter().enumerate() {
            // The last number stands for none.
            let number = u32::try_from(u64::from(first) + at as u64).unwrap_or(NOWHERE);
            let refuse = |what: &str, given: String, allowed: String| {
                let field = format!("rank {rank}, operation {number}: {what}");
                Err(SpecError::new(field, given, allowed))
            };
            if number == NOWHERE {
                let allowed = format!("a rank has at most {NOWHERE} operations");
                return refuse("number", number.to_string(), allowed);
            }
            for _ in 0..operation.after {
                match after.next().map(|after| after.back) {
                    Some(back) if (1..=number).contains(&back) => {}
                    Some(back) => {
                        let allowed = if number == 0 {
                            "the first operation is after no other".into()
                        } else {
                            format!("must be 1 to {number} operations before it")
                        };
                        return refuse("after", format!("{back} before it"), allowed);
                    }
                    None => {
                        let allowed = "the batch has less than its operations are after".into();
                        return refuse("after", operation.after.to_string(), allowed);
                    }
                }
            }
            let peer = match operation.what {
                What::Send(envelope) => Some(envelope.to),
                What::Receive(filter) => filter.from,
                What::Collective(which) if which as usize >= batch.collectives.len() => {
                    let allowed = format!("the batch has {}", batch.collectives.len());
                    return refuse("collective", which.to_string(), allowed);
                }
                What::Compute(_) | What::Flops(_) | What::Join | What::Collective(_) => None,
            };
            if let Some(peer) = peer.filter(|&peer| peer >= self.ranks()) {
                let allowed = format!("must be a rank, 0 to {}", self.ranks() - 1);
                return refuse("peer", peer.to_string(), allowed);
            }
        }
        Ok(())
    }

    fn keep(&mut self, call: Collective) -> u32 {
        if let Some(place) = self.free_collectives.pop() {
            self.collectives[place as usize] = call;
            return place;
        }
        self.collectives.push(call);
        self.collectives.len() as u32 - 1
    }

    /// No more operations of a rank will come.
    pub fn end(&mut self, rank: u32) {
        let rank = &mut self.ranks[rank as usize];
        rank.wants = false;
        rank.has_ended = true;
    }

    /// Whether the next batch of a rank is to be read: the last operation of its latest has begun.
    #[inline]
    pub fn wants(&self, rank: u32) -> bool {
        self.ranks[rank as usize].wants
    }

    /// Whether all that a rank does is done.
    #[inline]
    pub fn is_finished(&self, rank: u32) -> bool {
        let rank = &self.ranks[rank as usize];
        rank.has_ended && rank.window.is_empty()
    }

    /// How many operations of a rank have been read.
    pub fn read(&self, rank: u32) -> u32 {
        self.ranks[rank as usize].window.next()
    }

    /// An operation of a rank that is not done; [`Operation::after`] is what has not come of it.
    ///
    /// A collective is named by its place among those of [`Self::collective`].
    ///
    /// # Panics
    /// If it is done, or has not been read.
    #[inline]
    pub fn operation(&self, rank: u32, number: u32) -> Operation {
        let Pending { what, call, awaits, cpu, nic, .. } = *self.of(rank, number);
        Operation { what, cpu, nic, call, after: awaits }
    }

    /// The collective that a pending operation names.
    pub fn collective(&self, which: u32) -> &Collective {
        &self.collectives[which as usize]
    }

    /// The operations of a rank that are not done, by their numbers, and whether they have begun.
    pub fn pending(&self, rank: u32) -> impl Iterator<Item = (u32, bool)> {
        let window = &self.ranks[rank as usize].window;
        window.iter().map(|(number, of)| (number, of.has_begun))
    }

    #[inline]
    fn of(&self, rank: u32, number: u32) -> &Pending {
        let of = self.ranks[rank as usize].window.get(number);
        of.expect("an operation that has been read and is not done")
    }

    /// Calls with the number and the CPU of each operation of a rank that waits for one to begin,
    /// or to be done.
    #[inline]
    pub fn waiting(&self, rank: u32, number: u32, to_begin: bool, mut each: impl FnMut(u32, u8)) {
        let of = self.of(rank, number);
        let (is_next, mut next) = if to_begin {
            (of.next_after_begun, of.after_begun)
        } else {
            (of.next_after_done, of.after_done)
        };
        if is_next {
            each(number + 1, self.of(rank, number + 1).cpu);
        }
        while next != NOWHERE {
            let edge = self.edges[next];
            next = edge.next;
            each(edge.later, self.of(rank, edge.later).cpu);
        }
    }

    /// Takes the operations that ranks were told of late since the last time.
    pub fn take_late(&mut self) -> impl Iterator<Item = Late> {
        self.late.iter_mut().flat_map(|all| all.drain(..))
    }

    /// An operation that was ready has begun; appends to `ready` what may begin by that.
    ///
    /// # Panics
    /// If it is done, or has not been read.
    #[inline]
    pub fn begun(&mut self, rank: u32, number: u32, ready: &mut Vec<u32>) {
        let all = &mut self.ranks[rank as usize];
        all.wants |= number + 1 == all.window.next() && !all.has_ended;
        let of = all.window.get_mut(number).expect("an operation that may begin");
        debug_assert!(of.awaits == 0 && !of.has_begun, "an operation begins when it is ready");
        of.has_begun = true;
        let list = std::mem::replace(&mut of.after_begun, NOWHERE);
        let next = std::mem::take(&mut of.next_after_begun).then_some(number + 1);
        self.release(rank, next, list, ready);
    }

    /// An operation that has begun is done, and forgotten; appends to `ready` what may begin by that.
    ///
    /// # Panics
    /// If it is done, or has not been read.
    #[inline]
    pub fn done(&mut self, rank: u32, number: u32, ready: &mut Vec<u32>) {
        let of = self.ranks[rank as usize].window.remove(number);
        let of = of.expect("an operation that has begun");
        debug_assert!(of.has_begun, "an operation is done after it has begun");
        if let What::Collective(which) = of.what {
            self.free_collectives.push(which);
        }
        let next = of.next_after_done.then_some(number + 1);
        self.release(rank, next, of.after_done, ready);
    }

    /// Something has come that the next operation and a list of others wait for.
    #[inline]
    fn release(&mut self, rank: u32, next: Option<u32>, list: u32, ready: &mut Vec<u32>) {
        let window = &mut self.ranks[rank as usize].window;
        let mut comes = |number: u32, ready: &mut Vec<u32>| {
            let of = window.get_mut(number).expect("an operation that waits");
            of.awaits -= 1;
            if of.awaits == 0 {
                ready.push(number);
            }
        };
        if let Some(number) = next {
            comes(number, ready);
        }
        let (first, mut next) = (ready.len(), list);
        while next != NOWHERE {
            let edge = self.edges.remove(next);
            next = edge.next;
            comes(edge.later, ready);
        }
        // The latest was put into the list last.
        ready[first..].reverse();
    }
}

#[cfg(test)]
mod tests;
