//! What is said about edits, language by language. Each case is two texts and the whole answer.

mod any;
mod go;
mod java;
mod lines;
mod places;
mod python;
mod rust;
mod script;

use custos_syntax::{How, Touched, compare};

/// Compares two texts; one line for each definition, such as `Changed Method Session::refresh`.
fn touched(path: &str, before: &str, after: &str) -> Vec<String> {
    compare(path, before, after).iter().map(told).collect()
}

fn told(Touched { name, sort, how }: &Touched) -> String {
    match how {
        How::Renamed { from } => format!("Renamed {sort:?} {from} → {name}"),
        how => format!("{how:?} {sort:?} {name}"),
    }
}
