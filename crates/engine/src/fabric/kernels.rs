//! One file, or room, for each kind of kernel.

pub mod baseline;
pub mod circuit;
pub mod clocked;
pub mod flits;
pub mod fluid;
pub mod frames;
pub mod line;
pub mod lines;
pub mod packet;
pub mod private;
pub mod slots;
pub mod tokens;
pub mod worm;
