//! The process bench: what it costs to start a program, let it work and see it end.
//!
//! A hook is a process that lives for a fraction of a millisecond, so its cost is mostly the operating
//! system's: mapping the binary, relocating it, tearing it down. Such figures mean little alone. They depend
//! on the machine, on its load and on the minute, so a program is never measured without its *floor*: an
//! empty program of the same build (`custos-empty`), started in turns with it. What is promised is the
//! [`Comparison::ratio`] of the two.
//!
//! [`Launch`] starts a program by `posix_spawn` and collects it by `wait4`: this is how clients with small
//! start costs do it, and `wait4` is what tells the CPU time and the memory of exactly this child. The
//! standard library offers neither.

mod comparison;
mod launch;

pub use comparison::{Comparison, Figures, Plan, Spread, compare};
pub use launch::{Launch, Peak, Run};
