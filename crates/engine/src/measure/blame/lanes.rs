//! Who had his turn where, in as few words as can be: for networks whose packets leave every buffer in
//! the order in which they came, each by one channel.
//!
//! There one list by channel says it all: who was granted the channel is in the buffer at its end
//! next, and at its front as soon as those before it have left.

use super::log::{LONGEST, Log, Turn};
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// A packet's turn on a channel, and at the front of the buffer at its end: half a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The packet; its place is used again after it has been delivered.
    pub packet: PacketId,
    /// Its traffic class.
    pub class: u32,
    /// When it was granted the channel.
    pub granted: Time,
    /// When its turn there ended or is known to end, or [`NEVER`].
    pub end: Time,
    /// The same of its turn at the front of the buffer; [`NEVER`] also as long as it is in it.
    pub left: Time,
}

const NOBODYS: Stay =
    Stay { packet: PacketId::NONE, class: 0, granted: 0, end: NEVER, left: NEVER };

/// The stays at a channel, in order, in a ring of places. Numbers of stays are modulo 2^32.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Lane {
    /// Its first place.
    place: u32,
    /// Its places but one: there is a power of two of them.
    mask: u32,
    /// Places that it has had, and can have again.
    most: u32,
    /// How many packets have been granted the channel.
    entered: u32,
    /// How many of these have been granted the next one.
    gone: u32,
    /// When so many have entered, there is no place any more.
    full_at: u32,
}

impl Lane {
    #[inline]
    fn place(&self, number: u32) -> usize {
        self.place as usize + (number & self.mask) as usize
    }

    /// The first stay that is remembered.
    fn oldest(&self) -> u32 {
        self.full_at.wrapping_sub(self.mask + 1)
    }
}

/// Of which turns something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those on the channel.
    Channel,
    /// Those at the front of the buffer at its end.
    Front,
}

/// The stays at every channel, or nothing.
pub struct Lanes {
    lanes: Vec<Lane>,
    stays: Vec<Stay>,
}

impl Lanes {
    /// Places of a channel, until it turns out that these are not enough.
    const PLACES: u32 = 8;

    /// With more places than so many, fewer are used when that is enough: what is written is then
    /// more often still in a cache.
    const MANY: u32 = 32;

    /// Nobody has had a turn at any of so many channels.
    pub fn new(channels: usize) -> Self {
        let lane = |number| Lane {
            place: number as u32 * Self::PLACES,
            mask: Self::PLACES - 1,
            most: Self::PLACES,
            entered: 0,
            gone: 0,
            full_at: Self::PLACES,
        };
        let stays = vec![NOBODYS; channels * Self::PLACES as usize];
        Self { lanes: (0..channels).map(lane).collect(), stays }
    }

    /// Whether turns are noted here.
    #[inline]
    pub fn are_kept(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// A packet is granted a channel. False if there is no place for it ([`Self::make_room`]).
    #[inline]
    #[must_use]
    pub fn enter(&mut self, channel: ChannelId, stay: Stay) -> bool {
        let lane = &mut self.lanes[channel.index()];
        let number = lane.entered;
        if number == lane.full_at {
            return false;
        }
        lane.entered = number.wrapping_add(1);
        self.stays[lane.place(number)] = stay;
        true
    }

    /// The first packet in a buffer is granted its next channel, and out of the buffer at `left`.
    #[inline]
    pub fn leave(&mut self, buffer: ChannelId, packet: PacketId, left: Time) {
        let lane = &mut self.lanes[buffer.index()];
        let stay = &mut self.stays[lane.place(lane.gone)];
        debug_assert_eq!(stay.packet, packet, "buffers are left in order");
        stay.left = left;
        lane.gone = lane.gone.wrapping_add(1);
    }

    /// Forgets the oldest stays as far as nobody asks for them: their turns on the channel and at the
    /// front have ended by `needed`. Then there is room for more.
    #[inline(never)]
    pub fn make_room(&mut self, channel: ChannelId, needed: [Time; 2]) {
        let lane = self.lanes[channel.index()];
        // Turns end in order: what came before one that is over is over, too.
        let (mut oldest, known) = (lane.gone, lane.oldest());
        while oldest != known {
            let &Stay { end, left, .. } = self.stay(lane, oldest.wrapping_sub(1));
            let is_over = end <= needed[0] && left <= needed[1];
            if is_over || lane.entered.wrapping_sub(oldest) as usize >= LONGEST {
                break;
            }
            oldest = oldest.wrapping_sub(1);
        }
        let (places, kept) = (lane.mask + 1, lane.entered.wrapping_sub(oldest));
        self.lanes[channel.index()].full_at = oldest.wrapping_add(places);
        // Room for many at once, so that it is seldom asked what is needed.
        if kept > places / 2 {
            self.resize(channel, oldest, 2 * places);
        } else if places > Self::MANY && kept < places / 8 {
            self.resize(channel, oldest, places / 2);
        }
    }

    /// Moves the stays of a channel from the oldest on to twice or half as many places.
    fn resize(&mut self, channel: ChannelId, oldest: u32, places: u32) {
        let lane = self.lanes[channel.index()];
        let mut other = Lane { mask: places - 1, full_at: oldest.wrapping_add(places), ..lane };
        if places > lane.most {
            (other.place, other.most) = (self.stays.len() as u32, places);
            self.stays.resize(self.stays.len() + places as usize, NOBODYS);
        }
        // Where both use the same places, none is written that has still to be read: of twice as many
        // the second half is nobody's, and of half as many two stays with one place are so far apart
        // that one of them is forgotten.
        for number in 0..lane.entered.wrapping_sub(oldest) {
            let number = oldest.wrapping_add(number);
            self.stays[other.place(number)] = self.stays[lane.place(number)];
        }
        self.lanes[channel.index()] = other;
    }

    fn stay(&self, lane: Lane, number: u32) -> &Stay {
        &self.stays[lane.place(number)]
    }

    /// The stays that are remembered of those who have a turn on a side, the latest first.
    fn newest_first(&self, channel: ChannelId, side: Side) -> impl Iterator<Item = (u32, &Stay)> {
        let lane = self.lanes[channel.index()];
        let next = if side == Side::Channel { lane.entered } else { lane.gone };
        let oldest = lane.oldest();
        let count = next.wrapping_sub(oldest);
        (0..count).rev().map(move |after| {
            let number = oldest.wrapping_add(after);
            (number, self.stay(lane, number))
        })
    }

    /// When a turn on a side ends.
    fn end_of(stay: &Stay, side: Side) -> Time {
        if side == Side::Channel { stay.end } else { stay.left }
    }

    /// The first turn on a side whose end was not known ends at `at`.
    pub fn end(&mut self, channel: ChannelId, side: Side, at: Time) {
        let open = self.newest_first(channel, side);
        let first = open.take_while(|(_, stay)| Self::end_of(stay, side) == NEVER).last();
        let Some((number, _)) = first else { return };
        let lane = self.lanes[channel.index()];
        let stay = &mut self.stays[lane.place(number)];
        *(if side == Side::Channel { &mut stay.end } else { &mut stay.left }) = at;
    }

    /// Who has the turn on a side that lasts at `now`, if anybody.
    pub fn holder(&self, channel: ChannelId, side: Side, now: Time) -> Option<PacketId> {
        let lasting = self.newest_first(channel, side);
        let first = lasting.take_while(|(_, stay)| Self::end_of(stay, side) > now).last();
        first.map(|(_, stay)| stay.packet)
    }

    /// The first packet in the buffer at a channel's end, or on its way there, or none.
    pub fn first(&self, channel: ChannelId) -> PacketId {
        self.oldest_in(channel).map_or(PacketId::NONE, |stay| stay.packet)
    }

    /// The same as it was granted the channel.
    pub fn oldest_in(&self, channel: ChannelId) -> Option<&Stay> {
        let lane = self.lanes[channel.index()];
        (lane.gone != lane.entered).then(|| self.stay(lane, lane.gone))
    }

    /// Who was granted a channel last.
    pub fn latest(&self, channel: ChannelId) -> Option<&Stay> {
        self.newest_first(channel, Side::Channel).next().map(|(_, stay)| stay)
    }

    /// When the front of a buffer falls free to the first packet in it; 0 if that is long ago.
    pub fn front_free(&self, buffer: ChannelId) -> Time {
        self.newest_first(buffer, Side::Front).next().map_or(0, |(_, stay)| stay.left)
    }

    /// Writes down the turns on a side that ended after `from`: of those before a packet that has
    /// one, or of all.
    pub fn write(
        &self,
        log: &mut Log,
        (channel, side): (ChannelId, Side),
        before: Option<PacketId>,
        from: Time,
    ) {
        log.clear();
        let lane = self.lanes[channel.index()];
        let mut next = if side == Side::Channel { lane.entered } else { lane.gone };
        if let Some(packet) = before {
            let mut turns = self.newest_first(channel, side);
            next = turns.find(|(_, stay)| stay.packet == packet).map_or(next, |(number, _)| number);
        }
        let mut first = next;
        while first != lane.oldest()
            && Self::end_of(self.stay(lane, first.wrapping_sub(1)), side) > from
        {
            first = first.wrapping_sub(1);
        }
        while first != next {
            let stay = self.stay(lane, first);
            let &Stay { packet, class, granted, .. } = stay;
            let end = Self::end_of(stay, side);
            log.push(Turn { packet, class, channel, root: channel, asked: 0, granted, end }, 0);
            first = first.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stay(packet: u32, end: Time) -> Stay {
        let granted = end.saturating_sub(10);
        Stay { packet: PacketId(packet), class: packet, granted, end, left: NEVER }
    }

    fn enter(lanes: &mut Lanes, stay: Stay, needed: [Time; 2]) {
        let channel = ChannelId(1);
        if !lanes.enter(channel, stay) {
            lanes.make_room(channel, needed);
            assert!(lanes.enter(channel, stay));
        }
    }

    /// Who had turns that ended after an instant, and when.
    fn turns(lanes: &Lanes, side: Side, before: Option<u32>, from: Time) -> Vec<(u32, Time)> {
        let mut log = Log::default();
        lanes.write(&mut log, (ChannelId(1), side), before.map(PacketId), from);
        let all = log.cut(log.count(), (from, 1_000_000));
        let mut turns: Vec<_> = all.map(|(turn, _)| (turn.class, turn.end)).collect();
        turns.reverse();
        turns
    }

    #[test]
    fn a_packet_has_turns_on_the_channel_and_at_the_front_of_its_buffer() {
        let (mut lanes, channel) = (Lanes::new(2), ChannelId(1));
        for (packet, end) in [(1, 10), (2, 20), (3, 30)] {
            enter(&mut lanes, stay(packet, end), [0; 2]);
        }
        assert_eq!(lanes.first(channel), PacketId(1));
        lanes.leave(channel, PacketId(1), 25);
        lanes.leave(channel, PacketId(2), NEVER);
        assert_eq!(turns(&lanes, Side::Channel, Some(3), 10), [(2, 20)]);
        assert_eq!(turns(&lanes, Side::Front, Some(2), 5), [(1, 25)]);
        assert_eq!(lanes.holder(channel, Side::Front, 24), Some(PacketId(1)));
        assert_eq!(lanes.holder(channel, Side::Front, 25), Some(PacketId(2)));
        lanes.end(channel, Side::Front, 40);
        assert_eq!((lanes.front_free(channel), lanes.first(channel)), (40, PacketId(3)));
        assert_eq!(lanes.holder(channel, Side::Front, 40), None);
        assert_eq!(lanes.latest(channel), Some(&stay(3, 30)));
        assert_eq!(lanes.first(ChannelId(0)), PacketId::NONE);
    }

    #[test]
    fn only_what_is_over_on_both_sides_is_forgotten() {
        let (mut lanes, channel) = (Lanes::new(2), ChannelId(1));
        for packet in 0..100 {
            enter(&mut lanes, stay(packet, 10 * u64::from(packet)), [NEVER - 1; 2]);
            lanes.leave(channel, PacketId(packet), 10 * u64::from(packet));
        }
        assert!(turns(&lanes, Side::Channel, None, 0).len() <= 8);
        for packet in 100..200 {
            enter(&mut lanes, stay(packet, 10 * u64::from(packet)), [1_500, NEVER - 1]);
            lanes.leave(channel, PacketId(packet), 10 * u64::from(packet) + 5);
        }
        let kept = turns(&lanes, Side::Channel, None, 1_500);
        assert_eq!(kept, (151..200).map(|one| (one, u64::from(one) * 10)).collect::<Vec<_>>());
        // Nobody of these leaves the buffer.
        for packet in 200..2_000 {
            enter(&mut lanes, stay(packet, 10 * u64::from(packet)), [NEVER - 1; 2]);
        }
        assert_eq!(lanes.first(channel), PacketId(200));
        assert_eq!(turns(&lanes, Side::Channel, None, 2_000).len(), 1_799);
    }
    /// What has been remembered is the same however many places it lies in.
    #[test]
    fn places_that_are_needed_no_more_are_given_up_and_taken_again() {
        let (mut lanes, channel) = (Lanes::new(2), ChannelId(1));
        let (mut packet, mut needed, mut most) = (0, 0, Vec::new());
        // Of so many the last are asked for.
        for kept in [200, 3, 100, 40, 2, 300] {
            for _ in 0..1_000 {
                packet += 1;
                needed = (10 * u64::from(packet)).saturating_sub(10 * kept).max(needed);
                enter(&mut lanes, stay(packet, 10 * u64::from(packet)), [needed; 2]);
                lanes.leave(channel, PacketId(packet), 10 * u64::from(packet));
                let first = (needed / 10) as u32 + 1;
                let expected: Vec<_> =
                    (first..=packet).map(|one| (one, 10 * u64::from(one))).collect();
                assert_eq!(turns(&lanes, Side::Channel, None, needed), expected);
            }
            most.push(lanes.lanes[1].mask + 1);
        }
        assert_eq!(most, [512, 32, 256, 256, 32, 1_024]);
    }
}
