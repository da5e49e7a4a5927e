//! What is measured of every traffic class, where there are several.

use super::counters::ClassCounters;
use super::distribution::Distribution;
use crate::time::Time;

/// All traffic classes.
pub struct Traffic {
    /// By class.
    pub classes: Vec<OfClass>,
    /// By class that answers, then by number of a request under way: when it was sent, and its class;
    /// none where it stayed within its node.
    asked: Vec<Vec<Option<(Time, u8)>>>,
}

/// One traffic class.
pub struct OfClass {
    /// What it is called.
    pub name: String,
    /// The class that answers its messages.
    reply: Option<u32>,
    /// Whether its messages answer others.
    answers: bool,
    /// Messages sent since time 0.
    pub sent: u64,
    /// Cumulative since time 0, but for what the workload tells.
    pub counters: ClassCounters,
    /// From sending to receiving a message, in the current window.
    pub latency: Distribution,
    /// From sending a request to receiving the reply, in the current window.
    pub round_trip: Distribution,
}

/// A message of a traffic class: the class, its number if it is a request or answers one, and
/// whether it stays within its node.
#[derive(Clone, Copy)]
pub struct Labelled {
    /// Its class.
    pub class: u8,
    /// The number of the request that it is or answers.
    pub number: u32,
    /// Whether it goes from a node to itself.
    pub is_local: bool,
}

impl Traffic {
    /// Classes of these names, each with the one that answers it.
    pub fn new(classes: impl Iterator<Item = (String, Option<u32>)>) -> Self {
        let class = |(name, reply)| OfClass {
            name,
            reply,
            answers: false,
            sent: 0,
            counters: ClassCounters::default(),
            latency: Distribution::default(),
            round_trip: Distribution::default(),
        };
        let mut classes: Vec<OfClass> = classes.map(class).collect();
        for place in 0..classes.len() {
            if let Some(reply) = classes[place].reply {
                classes[reply as usize].answers = true;
            }
        }
        let asked = vec![Vec::new(); classes.len()];
        Self { classes, asked }
    }

    /// Whether a class is answered by another.
    pub fn is_answered(&self, class: usize) -> bool {
        self.classes[class].reply.is_some()
    }

    /// A message is sent.
    pub fn sent(&mut self, message: Labelled, now: Time) {
        let class = &mut self.classes[usize::from(message.class)];
        class.sent += 1;
        class.counters.messages_local += u64::from(message.is_local);
        let Some(reply) = class.reply else { return };
        let (number, asked) = (message.number as usize, &mut self.asked[reply as usize]);
        if asked.len() <= number {
            asked.resize(number + 1, None);
        }
        asked[number] = (!message.is_local).then_some((now, message.class));
    }

    /// A message of so many bytes has been received, so long after it was sent.
    pub fn received(&mut self, message: Labelled, (bytes, latency): (u64, Time), now: Time) {
        let class = &mut self.classes[usize::from(message.class)];
        class.counters.messages_delivered += 1;
        class.counters.bytes_delivered += bytes;
        if !message.is_local {
            class.counters.message_latency_ps += latency;
            class.counters.message_latency_count += 1;
            class.latency.add(latency);
        }
        if class.answers
            && let Some((since, asker)) =
                self.asked[usize::from(message.class)][message.number as usize].take()
        {
            let asker = &mut self.classes[usize::from(asker)];
            asker.counters.round_trip_ps += now - since;
            asker.counters.round_trip_count += 1;
            asker.round_trip.add(now - since);
        }
    }

    /// A new window begins.
    pub fn begin_window(&mut self) {
        for class in &mut self.classes {
            class.latency = Distribution::default();
            class.round_trip = Distribution::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_ends_with_the_reply() {
        let names = [("ask", Some(1)), ("reply", None)].map(|(name, r)| (name.to_string(), r));
        let mut traffic = Traffic::new(names.into_iter());
        let labelled = |class, is_local| Labelled { class, number: 4, is_local };
        traffic.sent(labelled(0, false), 10);
        traffic.received(labelled(0, false), (8, 5), 15);
        traffic.sent(labelled(1, false), 16);
        traffic.received(labelled(1, false), (64, 14), 30);
        let [ask, reply] = [0, 1].map(|class| traffic.classes[class].counters);
        assert_eq!((ask.round_trip_ps, ask.round_trip_count, reply.round_trip_count), (20, 1, 0));
        assert_eq!((ask.message_latency_ps, reply.message_latency_ps), (5, 14));
        assert_eq!((ask.bytes_delivered, reply.bytes_delivered), (8, 64));
        // What stays within a node has no latency.
        traffic.sent(labelled(0, true), 40);
        traffic.received(labelled(0, true), (8, 0), 40);
        traffic.received(labelled(1, true), (8, 0), 40);
        let ask = traffic.classes[0].counters;
        assert_eq!((ask.messages_local, ask.messages_delivered, ask.round_trip_count), (1, 2, 1));
        assert_eq!(
            (ask.message_latency_count, traffic.classes[0].round_trip.moments.count),
            (1, 1)
        );
    }
}
