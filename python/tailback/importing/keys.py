"""Which keys BookSim2 has, and its defaults: those of the code, commit 28f43299."""

from __future__ import annotations

import re

#: What BookSim2 takes where a file says nothing, of keys that say something here.
DEFAULTS = {
    "topology": "torus",
    "k": "8",
    "n": "2",
    "c": "1",
    "x": "8",
    "y": "8",
    "xr": "1",
    "yr": "1",
    "network_file": "",
    "routing_function": "none",
    "use_noc_latency": "1",
    "num_vcs": "16",
    "vc_buf_size": "8",
    "buf_size": "-1",
    "buffer_policy": "private",
    "private_bufs": "-1",
    "private_buf_size": "1",
    "private_buf_start_vc": "-1",
    "private_buf_end_vc": "-1",
    "wait_for_tail_credit": "0",
    "hold_switch_for_packet": "0",
    "input_speedup": "1",
    "output_speedup": "1",
    "internal_speedup": "1.0",
    "output_buffer_size": "-1",
    "routing_delay": "1",
    "st_prepare_delay": "0",
    "st_final_delay": "1",
    "credit_delay": "0",
    "speculative": "0",
    "spec_check_elig": "1",
    "spec_check_cred": "1",
    "spec_sw_allocator": "prio",
    "vc_allocator": "islip",
    "sw_allocator": "islip",
    "traffic": "uniform",
    "perm_seed": "0",
    "hotspot_nodes": "",
    "hotspot_rates": "",
    "background_excludes": "",
    "injection_rate": "0.1",
    "injection_rate_uses_flits": "0",
    "injection_process": "bernoulli",
    "burst_alpha": "0.5",
    "burst_beta": "0.5",
    "burst_r1": "-1",
    "packet_size": "1",
    "packet_size_rate": "1",
    "seed": "0",
    "sim_type": "latency",
    "sample_period": "1000",
    "warmup_periods": "3",
    "max_samples": "10",
}

#: Keys of which only one value can be done, and it.
ONLY = {
    "subnets": "1",
    "physical_subnetworks": "1",
    "router": "iq",
    "classes": "1",
    "use_read_write": "0",
    "priority": "none",
    "vc_alloc_delay": "1",
    "sw_alloc_delay": "1",
    "vc_busy_when_full": "0",
    "vc_prioritize_empty": "0",
    "vc_shuffle_requests": "0",
    "link_failures": "0",
    "express_channels": "0",
    "noq": "0",
}

#: Where another key has one of some values, BookSim2 looks at no value of these: no routing
#: function that can be done here asks which links have failed, and islip knows no priorities.
IDLE = {
    "link_failures": ("topology", ("mesh", "torus")),
    "vc_prioritize_empty": ("vc_allocator", ("islip",)),
}

#: Keys that change nothing here: how a run is ended and told, the power model, and what BookSim2
#: itself ignores or uses only with values of other keys that cannot be done: other routers (`vct`),
#: policies of buffers (`max_held_slots`), priorities (`vc_priority_donation`), a second allocator
#: for speculation (`spec_mask_by_reqs`).
_OTHERS = """
    acc_stopping_thres acc_warmup_thres active_packets_out alloc_iters arb_type batch_count
    batch_size channel_file channel_sweep channel_width class_priority deadlock_warn_timeout
    drain_measured_only ejected_flits_out fail_seed feedback_aging_scale feedback_offset
    free_credits_out in_ports include_queuing injected_flits_out latency_thres max_credits_out
    max_held_slots max_outstanding_requests measure_stats out_ports output_delay
    outstanding_credits_out pair_stats power_output_file print_activity print_csv_results
    print_vc_stats received_flits_out sent_flits_out sent_packets_out shared_buf_size sim_count
    sim_power spec_mask_by_reqs spec_use_prio stats_out stopping_thres stored_flits_out
    sw_alloc_arb_type sw_alloc_iters tech_file used_credits_out vc_alloc_arb_type vc_alloc_iters
    vc_priority_donation vct viewer_trace warmup_thres watch_file watch_flits watch_out
    watch_packets watch_transactions write_fraction

    Cd Cd_pwr Cg Cg_pwr Cgdl Cw_cpl Cw_gnd H_DFQD1 H_INVD2 H_ND2D1 H_SRAM IoffN IoffP IoffSRAM
    LAMBDA MetalPitch R Rw Vdd W_DFQD1 W_INVD2 W_ND2D1 W_SRAM wire_length
"""
WITHOUT_EFFECT = frozenset(_OTHERS.split())

#: Keys that older versions have, and what they are called now.
OLDER = {"const_flits_per_packet": "packet_size"}
#: An older key: the number of nodes that send; others are silent.
LIMIT = "limit"

#: Keys of requests and replies.
OF_CLASSES = re.compile(r"(read|write)_(request|reply)_(begin_vc|end_vc|size|subnet)")

#: Keys of which a list has an element for each traffic class.
LISTS = ("traffic", "injection_process", "injection_rate", "packet_size", "packet_size_rate")
#: Defaults that are not the same in all versions.
UNSURE = ("credit_delay", "warmup_periods")
