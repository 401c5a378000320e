//! What is taken out, what is left alone, and what holds for any text.

mod near_misses;
mod positives;
mod properties;
mod surroundings;
mod synthetic;
