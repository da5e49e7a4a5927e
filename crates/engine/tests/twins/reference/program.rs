//! Processes that follow written instructions.

use super::machine::Reference;
use super::processes::{State, draw};
use tailback_engine::spec::{Program, Step};

impl Reference {
    /// Executes one instruction.
    pub fn next_of_program(&mut self, process: usize, program: &Program) {
        let program = &program.processes[process];
        let state = &mut self.processes[process];
        if state.step == program.steps.len() {
            state.step = 0;
            state.rounds += 1;
        }
        if Some(state.rounds) == program.repeat {
            state.state = State::Finished;
            return;
        }
        let step = &program.steps[state.step];
        state.step += 1;
        match *step {
            Step::Compute { duration } => {
                let work = draw(&duration, &mut state.compute_stream);
                self.compute(process, work);
            }
            Step::Send { process: to, socket, bytes, blocking } => {
                // It waits before the message is sent: a local one may end the wait at once.
                if blocking {
                    state.state = State::Sending(self.messages.len());
                }
                self.send((process, to as usize), socket, 0, bytes as u32);
            }
            Step::Receive { socket } => {
                state.state = State::Receiving(socket, None);
                self.accept_what_it_is_ready_for(process);
            }
            Step::Multicast { .. } | Step::Barrier { .. } | Step::Collective(_) => {
                unreachable!("no case has any")
            }
        }
    }
}
