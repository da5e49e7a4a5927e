//! Networks that a fidelity cannot simulate are refused, with what to do about it.

use crate::common::parts::{Scheme, delayed};
use crate::common::{message_list, spec};
use tailback_engine::Simulation;
use tailback_engine::spec::{
    Arbiter, Costs, Fidelity, FlowControl, GraphLink, HalfDuplex, LinkClass, Machine, Marks, Mode,
    RoutingSpec, Selection, Sharing, Side, Spec, Switching, TopologySpec, Unit,
};

/// A mesh of 3 × 3 with two virtual channels.
fn mesh(routing: RoutingSpec, sharing: Sharing) -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![3, 3] });
    machine.routing.algorithm = routing;
    machine.switch.virtual_channels = 2;
    machine.link.sharing = sharing;
    machine
}

/// Two switches with a link each way, and as many nodes.
fn two_switches(there: u16, back: u16, delay_ps: u64) -> Machine {
    two_with(vec![delayed(0, 1, there, delay_ps), delayed(1, 0, back, 0)])
}

/// Two switches with these links, and as many nodes.
fn two_with(links: Vec<GraphLink>) -> Machine {
    let nodes = vec![0, 1];
    let graph = TopologySpec::Graph {
        switches: 2,
        links,
        nodes,
        leaves: Vec::new(),
        node_links: Vec::new(),
        classes: Vec::new(),
    };
    let mut machine = Machine::t9000(graph);
    machine.routing.algorithm = RoutingSpec::Shortest;
    machine
}

/// What is said about a machine, or nothing.
fn refusal(machine: &Machine, fidelity: Fidelity) -> String {
    let mut spec = spec(machine.clone(), message_list(&[]), Mode::Full);
    spec.fidelity = fidelity;
    if fidelity != Fidelity::Token {
        spec.machine.link.flow_control = FlowControl::OutOfBand;
    }
    Simulation::new(&spec).err().map(|error| error.to_string()).unwrap_or_default()
}

/// A hypercube in which messages are circuits.
fn circuits() -> Machine {
    let mut machine = Machine::t9000(TopologySpec::Hypercube { dimensions: 2 });
    Scheme::Circuit.join(&mut machine);
    machine
}

#[test]
fn circuits_need_one_way_of_choosing_and_alike_channels() {
    let refused = |change: fn(&mut Machine)| {
        let mut machine = circuits();
        change(&mut machine);
        refusal(&machine, Fidelity::Packet)
    };
    assert_eq!(refused(|_| ()), "");
    assert_eq!(
        refused(|machine| machine.switch.arbiter = Arbiter::HopsFirst),
        "machine.switch.arbiter = hops_first: must be fifo or oldest_first with switching circuit"
    );
    assert_eq!(
        refused(|machine| machine.routing.selection = Selection::MostCredit),
        "machine.routing.selection = most_credit: must be first with switching circuit"
    );
    assert_eq!(
        refused(|machine| machine.routing.algorithm = RoutingSpec::Deflection),
        "machine.routing = deflection: must be one that depends on the switch and the destination \
         alone, and comes nearer at each step, with switching circuit"
    );
    assert_eq!(
        refused(|machine| {
            let two = two_switches(1, 1, 5_000);
            (machine.topology, machine.routing) = (two.topology, two.routing);
        }),
        "machine.topology = links with delays of their own: must have none with \
         switch.integrated, switching circuit and unit message"
    );
    assert_eq!(
        refused(|machine| {
            let one_wire_back = two_switches(2, 1, 0);
            machine.topology = one_wire_back.topology;
            machine.routing.algorithm = RoutingSpec::Profitable;
            machine.link.half_duplex = HalfDuplex::Packet;
        }),
        "machine.topology = link from switch 0 to switch 1: needs one of as many wires back with \
         half_duplex, where both use one wire"
    );
}

/// Between nodes and switches too, circuits have wires of their own and one way of choosing.
#[test]
fn circuits_over_switches_need_wires_of_their_own() {
    let said = |fidelity, change: fn(&mut Machine)| {
        let mut machine = mesh(GREEDY, Sharing::Separate);
        machine.switch.switching = Switching::Circuit;
        change(&mut machine);
        refusal(&machine, fidelity)
    };
    let refused = |change| said(Fidelity::Packet, change);
    assert_eq!(refused(|machine| machine.switch.input_buffer_flits = Some(1)), "");
    assert_eq!(
        said(Fidelity::Worm, |_| ()),
        "fidelity = worm: must be packet with switching circuit"
    );
    assert_eq!(
        refused(|machine| machine.link.sharing = Sharing::RoundRobin),
        "machine.link.sharing = round_robin: must be separate with switching circuit and several \
         virtual channels: a circuit has its wires to itself"
    );
    assert_eq!(
        refused(|machine| machine.routing.algorithm = RoutingSpec::Deflection),
        "machine.routing = deflection: must be one whose packets wait with switching circuit"
    );
    assert_eq!(
        refused(|machine| machine.switch.arbiter = Arbiter::NetFirst),
        "machine.switch.arbiter = net_first: must be fifo or oldest_first with switching circuit"
    );
    assert_eq!(
        refused(|machine| machine.routing.selection = Selection::Random),
        "machine.routing.selection = random: must be first with switching circuit"
    );
    assert_eq!(
        refused(|machine| machine.link.half_duplex = HalfDuplex::Packet),
        "machine.link.half_duplex = half: must be full or half_by_flit without switch.integrated"
    );
}

/// Flits of both directions take turns where there are flits.
#[test]
fn wires_that_flits_of_both_directions_share_need_flits() {
    let said = |fidelity, change: fn(&mut Machine)| {
        let mut machine = mesh(GREEDY, Sharing::Separate);
        machine.switch.virtual_channels = 1;
        machine.link.flow_control = FlowControl::OutOfBand;
        change(&mut machine);
        refusal(&machine, fidelity)
    };
    for fidelity in [Fidelity::Worm, Fidelity::Packet] {
        assert_eq!(
            said(fidelity, |machine| machine.link.half_duplex = HalfDuplex::Flit),
            format!(
                "machine.link.half_duplex = half_by_flit: must be full with fidelity {}: flits of both \
                 directions take turns on a wire; use flit",
                fidelity.name()
            )
        );
    }
    assert_eq!(
        said(Fidelity::Flit, |machine| {
            machine.set_node_link(|class| class.half_duplex = Some(HalfDuplex::Packet));
        }),
        "machine.node_link.half_duplex = half: must be full or half_by_flit: packets take turns on all \
         links or none"
    );
    assert_eq!(
        said(Fidelity::Packet, |machine| {
            machine.switch.switching = Switching::CutThrough;
            machine.set_node_link(|class| class.half_duplex = Some(HalfDuplex::Flit));
        }),
        "machine.node_link.half_duplex = half_by_flit: must be full with switching cut_through: packets \
         cross wires as a whole"
    );
}

/// Requests wait for places where packets are granted channels one by one.
#[test]
fn places_for_replies_need_channels_that_are_granted() {
    let said = |fidelity, change: fn(&mut Machine)| {
        let mut machine = mesh(GREEDY, Sharing::Separate);
        machine.switch.virtual_channels = 1;
        machine.interface.reply_queue = Some(2);
        change(&mut machine);
        refusal(&machine, fidelity)
    };
    let field = "machine.interface.reply_queue = 2: must be left out with";
    let nodes = "whose nodes take everything in at once";
    for fidelity in [Fidelity::Stream, Fidelity::Token, Fidelity::Fluid] {
        let use_others = "use packet, worm or flit";
        assert_eq!(
            said(fidelity, |_| {}),
            format!("{field} fidelity {}, {nodes}; {use_others}", fidelity.name())
        );
    }
    assert_eq!(
        said(Fidelity::Packet, |machine| machine.switch.switching = Switching::Circuit),
        format!("{field} switching circuit, where requests and replies meet nowhere")
    );
    assert_eq!(
        said(Fidelity::Worm, |machine| machine.switch.integrated = true),
        format!("{field} switch.integrated, where packets are delivered on all channels at once")
    );
    assert_eq!(
        said(Fidelity::Worm, |machine| machine.topology = TopologySpec::Pair),
        format!("{field} a topology without switches, where there is nowhere to wait for a place")
    );
    assert_eq!(
        said(Fidelity::Packet, |machine| machine.routing.algorithm = RoutingSpec::Deflection),
        format!("{field} routing deflection, where nobody may wait for a node")
    );
    assert_eq!(
        said(Fidelity::Worm, |machine| machine.interface.reply_queue = Some(0)),
        "machine.interface.reply_queue = 0: must be 1 to 1048576"
    );
    let mut spec = spec(mesh(GREEDY, Sharing::Separate), message_list(&[]), Mode::Full);
    spec.fidelity = Fidelity::Flit;
    spec.machine.interface.reply_queue = Some(2);
    spec.machine.link.flow_control = FlowControl::StopGo(Marks { stop_flits: 2, go_flits: 1 });
    let refused = |spec: &Spec| Simulation::new(spec).err().unwrap().to_string();
    assert_eq!(refused(&spec), format!("{field} link.flow_control stop_go, {nodes}"));
}

/// Who takes packets in one after the other knows of nothing but packets.
#[test]
fn receive_fifos_need_channels_that_are_granted() {
    let said = |fidelity, change: fn(&mut Machine)| {
        let mut machine = mesh(GREEDY, Sharing::Separate);
        machine.switch.virtual_channels = 1;
        machine.interface.receive_fifo = Some(2);
        machine.interface.drain_byte_ps = Some(100);
        change(&mut machine);
        refusal(&machine, fidelity)
    };
    let field = "machine.interface.receive_fifo = 2: must be left out with";
    for fidelity in [Fidelity::Stream, Fidelity::Token] {
        let nodes = "whose nodes take everything in at once; use packet, worm or flit";
        assert_eq!(
            said(fidelity, |_| {}),
            format!("{field} fidelity {}, {nodes}", fidelity.name())
        );
    }
    assert_eq!(
        said(Fidelity::Packet, |machine| machine.switch.switching = Switching::Circuit),
        format!("{field} switching circuit, where a receiver holds up nothing but the circuit")
    );
    assert_eq!(
        said(Fidelity::Worm, |machine| machine.switch.integrated = true),
        format!("{field} switch.integrated, where packets are delivered on all channels at once")
    );
    assert_eq!(
        said(Fidelity::Worm, |machine| machine.interface.receive_fifo = Some(0)),
        "machine.interface.receive_fifo = 0: must be 1 to 1048576"
    );
    let too_slow = said(Fidelity::Worm, |machine| {
        machine.interface.drain_byte_ps = Some(10_000_000_000_000_000);
    });
    assert!(too_slow.contains("must be 1 to 6250000000000000"), "{too_slow}");
    assert_eq!(said(Fidelity::Worm, |_| {}), "");
}

const GREEDY: RoutingSpec = RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false };

#[test]
fn several_packets_take_turns_on_a_wire_in_flit_and_packet_only() {
    let shared = mesh(GREEDY, Sharing::UntilStall);
    for fidelity in [Fidelity::Worm, Fidelity::Stream, Fidelity::Token] {
        assert_eq!(
            refusal(&shared, fidelity),
            format!(
                "machine.link.sharing = until_stall: must be separate with fidelity {}: flits of \
                 several packets take turns on a wire; use flit or packet, or sharing = separate",
                fidelity.name()
            )
        );
        assert_eq!(refusal(&mesh(GREEDY, Sharing::Separate), fidelity), "");
    }
    assert_eq!(refusal(&shared, Fidelity::Flit) + &refusal(&shared, Fidelity::Packet), "");
}

#[test]
fn wormhole_on_integrated_nodes_needs_one_output_and_one_wire() {
    let mut machine = mesh(GREEDY, Sharing::Separate);
    machine.switch.virtual_channels = 1;
    Scheme::Wormhole.join(&mut machine);
    machine.interface.early_bytes = 16;
    let said = |change: fn(&mut Machine)| {
        let mut machine = machine.clone();
        change(&mut machine);
        refusal(&machine, Fidelity::Worm)
    };
    assert_eq!(said(|_| ()), "");
    assert_eq!(
        said(|machine| machine.link.width = 2),
        "machine.link.width = 2: must be 1 with switch.integrated, switching wormhole and unit message"
    );
    assert_eq!(
        said(|machine| machine.routing.algorithm = RoutingSpec::OddEven),
        "machine.routing = odd_even: must be one that gives a packet one output with \
         switch.integrated, switching wormhole and unit message"
    );
    assert_eq!(said(|machine| machine.link.control_ps = 110_000), "");
    let faster = |machine: &mut Machine| {
        let faster = LinkClass { flit_ps: Some(50_000), ..LinkClass::default() };
        machine.link_classes.insert("y".into(), faster);
    };
    assert_eq!(said(faster), "");
    assert_eq!(
        said(|machine| {
            machine.interface.header_bytes = 2;
            machine.switch.input_buffer_flits = Some(1);
        }),
        "machine.switch.input_buffer_flits = 1: must hold a header, at least 2 flits with fidelity \
         worm"
    );
}

#[test]
fn packets_with_a_choice_need_a_fidelity_with_allocators() {
    let machine = mesh(RoutingSpec::WestFirst, Sharing::Separate);
    for fidelity in [Fidelity::Token, Fidelity::Stream] {
        assert_eq!(
            refusal(&machine, fidelity),
            "machine.routing = west_first: must be one that gives a packet one output with \
             fidelities stream and token; use worm, flit or packet"
        );
    }
    for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Packet] {
        assert_eq!(refusal(&machine, fidelity), "");
    }
}

#[test]
fn a_way_out_needs_a_fidelity_that_looks_again() {
    let machine = mesh(RoutingSpec::MinimalAdaptive { order: Vec::new() }, Sharing::Separate);
    assert_eq!(
        refusal(&machine, Fidelity::Worm),
        "machine.routing = minimal_adaptive: must be one without a way out with fidelity worm, which \
         does not look again when flits leave a buffer; use flit or packet"
    );
    assert_eq!(refusal(&machine, Fidelity::Flit) + &refusal(&machine, Fidelity::Packet), "");
}

#[test]
fn switches_that_move_whole_packets_need_packets() {
    for routing in [RoutingSpec::Chaos, RoutingSpec::Deflection] {
        let machine = mesh(routing, Sharing::Separate);
        for fidelity in [Fidelity::Flit, Fidelity::Worm, Fidelity::Stream, Fidelity::Token] {
            let name = machine.routing.algorithm.name();
            assert_eq!(
                refusal(&machine, fidelity),
                format!(
                    "machine.routing = {name}: needs fidelity packet: packets that cannot go on \
                     are moved as a whole"
                )
            );
        }
    }
}

#[test]
fn flow_control_tokens_need_a_way_back() {
    assert_eq!(refusal(&two_switches(2, 2, 0), Fidelity::Token), "");
    assert_eq!(
        refusal(&two_switches(2, 1, 0), Fidelity::Token),
        "machine.topology = link from switch 0 to switch 1: needs one of as many wires back with \
         fidelity token, whose flow-control tokens use it"
    );
    assert_eq!(refusal(&two_switches(2, 1, 0), Fidelity::Flit), "");
    let mut machine = two_switches(1, 1, 0);
    if let TopologySpec::Graph { leaves, .. } = &mut machine.topology {
        *leaves = vec![1, 1];
    }
    assert_eq!(
        refusal(&machine, Fidelity::Token),
        "machine.topology = link from node 0 to switch 0: needs one of as many wires back with \
         fidelity token, whose flow-control tokens use it"
    );
}

#[test]
fn of_parallel_links_each_needs_its_own_way_back() {
    let wide = GraphLink::new;
    let is_refused =
        |links: &[GraphLink]| !refusal(&two_with(links.to_vec()), Fidelity::Token).is_empty();
    let [one, two] = [1, 2].map(|width| wide(0, 1, width));
    let [back_one, back_two] = [1, 2].map(|width| wide(1, 0, width));
    assert!(!is_refused(&[one, two, back_one, back_two]));
    assert!(is_refused(&[one, two, back_two, back_one]));
    assert!(is_refused(&[one, one, back_one]));
}

#[test]
fn switches_that_swap_packets_need_a_way_back() {
    let chaos = |back| {
        let mut machine = two_switches(2, back, 0);
        machine.routing.algorithm = RoutingSpec::Chaos;
        machine
    };
    assert_eq!(refusal(&chaos(2), Fidelity::Packet), "");
    assert_eq!(
        refusal(&chaos(1), Fidelity::Packet),
        "machine.topology = link from switch 0 to switch 1: needs one of as many wires back with \
         chaos, where full switches swap packets over it"
    );
}

#[test]
fn streams_have_the_same_delay_everywhere() {
    assert_eq!(refusal(&two_switches(1, 1, 0), Fidelity::Stream), "");
    assert_eq!(
        refusal(&two_switches(1, 1, 5), Fidelity::Stream),
        "machine.topology = links with delays of their own: must all have the same delay with \
         fidelity stream; use worm, flit or packet"
    );
}

/// A machine whose nodes are their own switches.
fn joined(topology: TopologySpec, routing: RoutingSpec, scheme: Scheme) -> Machine {
    let mut machine = Machine::t9000(topology);
    machine.routing.algorithm = routing;
    scheme.join(&mut machine);
    machine
}

#[test]
fn integrated_nodes_need_links_and_routing_that_suit_them() {
    let mesh = || TopologySpec::Mesh { dims: vec![3, 3] };
    let packets = |places, reserve| Scheme::Packets { places, reserve, overtaking: true };
    let datagrams = Scheme::StoreAndForward;
    let said = |machine: &Machine| refusal(machine, Fidelity::Packet);
    let mut choosing = joined(mesh(), RoutingSpec::Profitable, packets(2, false));
    assert!(said(&choosing).contains("can deadlock"), "{}", said(&choosing));
    choosing.routing.allow_deadlock = true;
    assert_eq!(
        said(&choosing),
        "machine.routing = profitable: must be one that sends all packets of a message one way \
         with switch.integrated, switching store_and_forward and unit packet"
    );
    assert_eq!(said(&joined(mesh(), RoutingSpec::Profitable, datagrams)), "");
    let first_hop = RoutingSpec::FirstHop { order: Vec::new() };
    assert_eq!(said(&joined(mesh(), first_hop.clone(), packets(2, true))), "");
    assert_eq!(
        said(&joined(mesh(), first_hop, packets(1, true))),
        "machine.switch.output_queue_packets = 1: must be at least 2: one is kept from contrary \
         packets (reserve)"
    );
    let mut wide = joined(mesh(), GREEDY, datagrams);
    wide.link.width = 2;
    assert_eq!(
        said(&wide),
        "machine.link.width = above 1: must be 1 with switch.integrated, switching \
         store_and_forward and unit message"
    );
    assert_eq!(
        said(&joined(mesh(), RoutingSpec::Deflection, datagrams)),
        "machine.routing = deflection: must be one whose packets wait with \
         switch.integrated, switching store_and_forward and unit message"
    );
    let ring = joined(TopologySpec::Torus { dims: vec![5] }, GREEDY, packets(4, false));
    assert!(said(&ring).contains("can deadlock"), "{}", said(&ring));
    let mut slow = two_switches(1, 1, 7);
    Scheme::StoreAndForward.join(&mut slow);
    assert_eq!(
        said(&slow),
        "machine.topology = links with delays of their own: must have none with \
         switch.integrated, switching store_and_forward and unit message"
    );
}

/// What is not there yet is refused by the name of its field.
#[test]
fn combinations_that_do_not_exist_are_refused() {
    let said = |fidelity, change: fn(&mut Machine)| {
        let mut machine = mesh(GREEDY, Sharing::Separate);
        change(&mut machine);
        refusal(&machine, fidelity)
    };
    let switched = |change| said(Fidelity::Packet, change);
    assert_eq!(
        said(Fidelity::Flit, |machine| machine.switch.switching = Switching::CutThrough),
        "fidelity = flit: must be packet with switching cut_through"
    );
    assert_eq!(switched(|machine| machine.switch.switching = Switching::CutThrough), "");
    assert_eq!(
        said(Fidelity::Worm, |machine| machine.switch.switching = Switching::StoreAndForward),
        "fidelity = worm: must be packet with switching store_and_forward"
    );
    assert_eq!(switched(|machine| machine.switch.switching = Switching::StoreAndForward), "");
    assert_eq!(
        switched(|machine| {
            machine.interface.unit = Unit::Message;
            machine.interface.packet_bytes = 1 << 24;
        }),
        "machine.switch.input_buffer_flits = 70: must hold a whole packet, at least 16777218 flits with fidelity packet"
    );
    assert_eq!(
        switched(|machine| machine.interface.window = Some(0)),
        "machine.interface.window = 0: must be 1 to 1048576"
    );
    assert_eq!(switched(|machine| machine.interface.window = None), "");
    assert_eq!(switched(|machine| machine.switch.input_buffer_flits = None), "");
    for fidelity in [Fidelity::Token, Fidelity::Stream] {
        let unbounded = |machine: &mut Machine| {
            machine.switch.input_buffer_flits = None;
            machine.link.flow_control = FlowControl::InBand;
        };
        assert_eq!(said(fidelity, unbounded), "");
    }
    assert_eq!(
        said(Fidelity::Token, |machine| machine.switch.input_buffer_flits = Some(1 << 31)),
        "machine.switch.input_buffer_flits = 2147483648: must be 8 to 1073741824"
    );
    assert_eq!(
        switched(|machine| {
            machine.routing.algorithm = RoutingSpec::Deflection;
            machine.switch.input_buffer_flits = None;
        }),
        "machine.switch.input_buffer_flits = unlimited: must be a number with routing deflection: \
         no buffer would be full"
    );
    assert_eq!(
        switched(|machine| {
            machine.routing.algorithm = RoutingSpec::Deflection;
            machine.switch.switching = Switching::StoreAndForward;
        }),
        "machine.switch.switching = store_and_forward: must be wormhole or cut_through with \
         routing deflection"
    );
    assert_eq!(
        switched(|machine| {
            machine.routing.algorithm = RoutingSpec::Chaos;
            machine.set_node_link(|class| class.flit_ps = Some(1));
        }),
        "machine.routing = chaos: must be one whose packets wait where links have different rates"
    );
    assert_eq!(
        said(Fidelity::Stream, |machine| machine.set_node_link(|class| class.flit_ps = Some(1))),
        "machine.node_link = different rates: must be the same everywhere with fidelity stream; \
         use another"
    );
    assert_eq!(
        switched(|machine| {
            machine.interface.packet_bytes = 1 << 24;
            machine.switch.input_buffer_flits = None;
            machine.link.flit_ps = 1_000_000_000_000_000;
        }),
        "machine.interface.packet_bytes = 16777216: must be less: with flits of 1000000000000000 \
         ps a packet takes longer than 200000 s"
    );
    assert_eq!(
        switched(|machine| machine.switch.output_queue_packets = Some(2)),
        "machine.switch.output_queue_packets = 2: must be unlimited without switch.integrated"
    );
    assert_eq!(
        switched(|machine| machine.link.half_duplex = HalfDuplex::Packet),
        "machine.link.half_duplex = half: must be full or half_by_flit without switch.integrated"
    );
    let mut machine = mesh(GREEDY, Sharing::Separate);
    machine.switch.virtual_channels = 1;
    Scheme::CutThrough.join(&mut machine);
    machine.interface.unit = Unit::Packet;
    assert_eq!(
        refusal(&machine, Fidelity::Packet),
        "machine.interface.unit = packet: must be message with switch.integrated, switching \
         cut_through and unit packet"
    );
}

#[test]
fn classes_of_links_have_the_names_of_the_topology() {
    let said = |topology, name: &str| {
        let mut machine = Machine::t9000(topology);
        machine.link_classes.insert(name.into(), LinkClass::default());
        refusal(&machine, Fidelity::Flit)
    };
    let mesh = || TopologySpec::Mesh { dims: vec![2; 4] };
    assert_eq!(said(mesh(), "x3"), "");
    assert_eq!(said(mesh(), "w"), "machine.link_classes.w = w: must be one of x, y, z, x3");
    assert_eq!(
        said(TopologySpec::Pair, "x"),
        "machine.link_classes.x = x: must be left out: this topology has no classes of links"
    );
}

/// What messages cost in software is bounded, and no key is without effect.
#[test]
fn costs_that_are_too_large_or_without_effect_are_refused() {
    let side = |before_ps, per_byte_fs| Side { before_ps, per_byte_fs, ..Side::default() };
    let costs = Costs { send: side(1000, 0), ..Costs::default() };
    let cases = [
        (Costs { send: side(1_000_000_000_001, 0), ..costs }, "send_overhead_ps"),
        (Costs { receive: side(0, 1_000_000_001), ..costs }, "receive_overhead_per_byte_fs"),
        (Costs { packet_interval_ps: 1 << 60, ..costs }, "packet_interval_ps"),
        (Costs { variation_ps: 1001, ..costs }, "overhead_variation_ps"),
        (Costs { multi_packet_only: true, ..costs }, "multi_packet_only"),
        (Costs { receive_preempts: true, ..Costs::default() }, "receive_preempts"),
    ];
    for (costs, field) in cases {
        let mut machine = Machine::t9000(TopologySpec::Pair);
        machine.interface.costs = Some(costs);
        let error = Simulation::new(&spec(machine, message_list(&[]), Mode::Full)).err();
        assert_eq!(error.unwrap().field, format!("machine.interface.{field}"));
    }
}
