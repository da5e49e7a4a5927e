use super::*;

const QUEUES: [ChannelId; 3] = [ChannelId(0), ChannelId(1), ChannelId(1)];

/// Lanes of three channels, of which the last two have one queue, with a log for each side.
struct Told {
    lanes: Lanes,
    logs: Vec<[Log; 2]>,
}

impl Told {
    fn new() -> Self {
        let mut lanes = Lanes::new(&QUEUES, &[NodeId::NONE; 3], false);
        for packet in (0..8).rev() {
            lanes.begins(PacketId(packet), packet, false);
        }
        Self { lanes, logs: vec![<[Log; 2]>::default(); QUEUES.len()] }
    }

    /// A packet is granted a channel at `now` until `end`; whether that had to be noted.
    fn moves(&mut self, packet: u32, channel: u32, (now, end): (Time, Time)) -> bool {
        let (packet, channel) = (PacketId(packet), ChannelId(channel));
        if self.lanes.passes(packet, channel, (now, end)) {
            return false;
        }
        let (class, from) = (packet.0, self.lanes.head(packet));
        let turn = Turn { packet, class, channel, asked: now, granted: now, end };
        let sides = [(from, Side::Front), (channel, Side::Channel)];
        for (channel, side) in sides.into_iter().filter(|(channel, _)| channel.is_some()) {
            let log = &mut self.logs[channel.index()][side as usize];
            self.lanes.takes_turn((channel, side), log, turn, (0, now));
        }
        true
    }

    /// Who had turns on a side, and when they ended.
    fn turns(&self, channel: u32, side: Side) -> Vec<(u32, Time)> {
        let log = &self.logs[channel as usize][side as usize];
        let past = self.lanes.past(ChannelId(channel), side, log, None);
        let mut turns = Vec::new();
        past.cut((0, 1_000), |turn, _| turns.push((turn.class, turn.end)));
        turns.reverse();
        turns
    }

    fn holder(&self, channel: u32, side: Side, now: Time) -> Option<u32> {
        let log = &self.logs[channel as usize][side as usize];
        self.lanes.holder(ChannelId(channel), side, log, now).map(|turn| turn.packet.0)
    }
}

#[test]
fn a_packet_has_turns_on_the_channel_and_at_the_front_of_its_buffer() {
    let mut told = Told::new();
    for (packet, now) in [(1, 0), (2, 10), (3, 20)] {
        assert!(!told.moves(packet, 0, (now, now + 10)));
    }
    assert_eq!(told.holder(0, Side::Channel, 29), Some(3));
    assert_eq!(told.holder(0, Side::Channel, 30), None);
    assert!(!told.moves(1, 1, (30, 45)));
    assert_eq!(told.lanes.front_free(ChannelId(0)), 45);
    assert_eq!(told.holder(0, Side::Front, 44), Some(1));
    let is_far_behind =
        |told: &Told, channel, since| told.lanes.stands_far_behind(ChannelId(channel), since);
    assert!(is_far_behind(&told, 0, 44) && !is_far_behind(&told, 0, 45));
    assert!(!is_far_behind(&told, 1, 0));
    assert_eq!(told.lanes.latest(ChannelId(0)).map(|turn| turn.class), Some(3));
    assert_eq!(told.turns(0, Side::Channel), [(3, 30)]);
    assert!(!told.moves(2, 1, (45, 60)));
    assert!(!is_far_behind(&told, 0, 0) && !is_far_behind(&told, 1, 0));
}

/// From when somebody watches the queue or the buffer on, with who had the latest turn then.
#[test]
fn turns_are_noted_where_somebody_may_ask_for_them() {
    let mut told = Told::new();
    for (packet, now) in [(1, 0), (2, 10), (3, 20), (4, 30)] {
        told.moves(packet, 0, (now, now + 10));
    }
    told.moves(1, 2, (40, 50));
    told.lanes.watch(ChannelId(1), Side::Channel, true);
    told.lanes.watch(ChannelId(0), Side::Front, true);
    assert!(told.moves(2, 2, (50, 60)) && told.moves(3, 2, (60, 70)));
    assert_eq!(told.turns(2, Side::Channel), [(1, 50), (2, 60), (3, 70)]);
    assert_eq!(told.turns(0, Side::Front), [(1, 50), (2, 60), (3, 70)]);
    assert_eq!(told.turns(0, Side::Channel), [(4, 40)]);
    told.lanes.watch(ChannelId(1), Side::Channel, false);
    told.lanes.watch(ChannelId(0), Side::Front, false);
    told.moves(4, 2, (70, 80));
    assert!(!told.moves(5, 2, (80, 90)));
    assert_eq!(told.turns(2, Side::Channel), [(5, 90)]);
    assert_eq!(told.turns(0, Side::Front), [(4, 80)]);
}

#[test]
fn turns_that_are_not_over_are_noted() {
    let mut told = Told::new();
    told.moves(1, 0, (0, NEVER));
    assert!(told.moves(2, 0, (5, NEVER)));
    assert_eq!(told.holder(0, Side::Channel, 7), Some(1));
    for (at, holder) in [(8, Some(2)), (20, None)] {
        let log = &mut told.logs[0][Side::Channel as usize];
        told.lanes.end(ChannelId(0), Side::Channel, log, at);
        assert_eq!(told.holder(0, Side::Channel, at), holder);
    }
    assert!(told.moves(3, 0, (20, 30)));
    assert!(!told.moves(4, 0, (30, 40)));
    assert_eq!(told.turns(0, Side::Channel), [(4, 40)]);
}
