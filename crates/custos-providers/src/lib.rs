//! Models that distil: how each is called, and what it spent.
