//! The worker: takes what waits in the log, has it distilled, and appends what came of it.
