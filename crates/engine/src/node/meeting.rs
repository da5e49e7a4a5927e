//! Collectives that are no messages: free, or at the price of a formula.

use super::nodes::Nodes;
use super::world::World;
use crate::event_queue::Event;
use crate::ids::ProcessId;

impl Nodes {
    /// A process comes to where it meets others. If it is the last, all go on after the price, in
    /// the order of the group.
    pub(super) fn meet(&mut self, process: ProcessId, world: &mut World) {
        let Some((first, members, price)) = world.workload.meets(process) else { return };
        let until = world.now + price;
        if let Some(causes) = &mut world.measures.causes {
            let members = members.iter().map(|member| ProcessId(first + member));
            causes.meets(members, (process, world.now), price);
        }
        for &member in members.iter() {
            let member = ProcessId(first + member);
            world.workload.leaves_at(member, until);
            if price > 0 {
                world.events.post(until, Event::Start(member));
            } else if world.workload.leaves(member, until) {
                self.can_go_on(member);
            }
        }
    }
}
