//! What is taken out, what is left alone, and what holds for any text.

mod commands;
mod entries;
mod near_misses;
mod positives;
mod prefixes;
mod properties;
mod surroundings;
mod synthetic;
mod variables;
