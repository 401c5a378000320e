//! The curves of the model, without branches, so that a compiler computes eight at a time.
//!
//! std asks the system's library for `exp`, one number at a time, and each library rounds as it likes. These here are
//! accurate to about seven digits, and give the same bits on every machine.

#![expect(
    clippy::inline_always,
    reason = "inlined into a function that may use more instructions, it may as well"
)]

use std::f32::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

/// How many sums run beside each other: as many as fit a register of AVX2, and the same number where there is none, because
/// the order of additions decides how a sum is rounded.
const LANES: usize = 8;

/// Adds up numbers.
#[inline(always)]
pub(super) fn sum(numbers: &[f32]) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    for (lane, number) in lanes.iter_mut().zip(rest) {
        *lane += number;
    }
    lanes.into_iter().sum()
}

/// Gives the highest of some numbers as they are measured, or what is the least in any case.
#[inline(always)]
pub(super) fn highest(numbers: &[f32], least: f32, measure: impl Fn(f32) -> f32) -> f32 {
    // Not `f32::max`, which has to think about what is not a number, and takes twice the instructions for it.
    let higher = |a: f32, b: f32| if a > b { a } else { b };
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [least; LANES];
    for chunk in chunks {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = higher(measure(number), *lane);
        }
    }
    for (lane, &number) in lanes.iter_mut().zip(rest) {
        *lane = higher(measure(number), *lane);
    }
    lanes.into_iter().fold(least, higher)
}

/// Rounds a number of less than four million to the nearest integer.
///
/// Added to 1.5 · 2²³, a number has no room for binary places: the processor rounds them off, and the integer stands in the
/// lowest bits.
#[inline(always)]
pub(super) fn nearest_integer(number: f32) -> i32 {
    const ROUNDER: f32 = 12_582_912.0;
    (number + ROUNDER).to_bits().cast_signed().wrapping_sub(ROUNDER.to_bits().cast_signed())
}

/// Raises e to a power of up to 88; below -87 it stays at the value there, which is next to nothing.
#[inline(always)]
pub(super) fn exp(power: f32) -> f32 {
    let power = if power < -87.0 { -87.0 } else { power };
    // e^power = 2^whole · e^part, with a part between -ln 2 / 2 and ln 2 / 2.
    let whole = nearest_integer(power * LOG2_E);
    let part = power - whole as f32 * LN_2;
    // The series of e^part up to the seventh power: what is left out is less than 1e-8.
    let mut series = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * part + coefficient;
    }
    // A power of two is an exponent alone.
    series * f32::from_bits(((whole + 127) << 23).cast_unsigned())
}

/// Lets through what is positive and holds back what is negative: x times the probability that a normal variable is less.
///
/// The error function is formula 7.1.26 of Abramowitz and Stegun, good to 1.5e-7.
#[inline(always)]
pub(super) fn gelu(number: f32) -> f32 {
    let size = number.abs() * FRAC_1_SQRT_2;
    let inverse = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut series = 1.061_405_4;
    for coefficient in [-1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6, 0.0] {
        series = series * inverse + coefficient;
    }
    let tail = 0.5 * series * exp(-size * size);
    number * if number >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "what is compared so is exact")]
mod tests {
    use super::*;

    /// The error function to the accuracy of `f64`, by its series.
    fn erf(x: f64) -> f64 {
        if x.abs() > 5.0 {
            return x.signum();
        }
        let (mut term, mut total) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            total += term / f64::from(2 * n + 1);
        }
        total * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn exp_is_good_to_six_digits() {
        for step in -8700..=100 {
            let power = step as f32 / 100.0;
            let exact = f64::from(power).exp();
            let error = (f64::from(exp(power)) - exact).abs() / exact;
            assert!(error < 1e-5, "e^{power} is off by {error}");
        }
        assert_eq!((exp(0.0), exp(-1000.0)), (1.0, exp(-87.0)));
    }

    #[test]
    fn gelu_is_good_to_six_places() {
        for step in -1000..=1000 {
            let x = f64::from(step) / 100.0;
            let exact = x * 0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2));
            #[expect(clippy::cast_possible_truncation, reason = "the function is one of `f32`")]
            let error = (f64::from(gelu(x as f32)) - exact).abs();
            assert!(error < 2e-6, "gelu({x}) is off by {error}");
        }
    }

    #[test]
    fn integers_are_the_nearest_and_ties_go_to_the_even() {
        let rounded = [-8191.0, -2.5, -0.5, 0.49, 0.5, 1.5, 8190.6].map(nearest_integer);
        assert_eq!(rounded, [-8191, -2, 0, 0, 0, 2, 8191]);
    }

    #[test]
    fn sums_take_in_what_fills_no_lane() {
        let numbers: Vec<f32> = (1..=19_u8).map(f32::from).collect();
        assert_eq!(sum(&numbers), 190.0);
        assert_eq!(sum(&[]), 0.0);
    }

    #[test]
    fn the_highest_is_found_in_and_beside_the_lanes() {
        for place in 0..19 {
            let mut numbers = [-1.0; 19];
            numbers[place] = -3.0;
            assert_eq!(highest(&numbers, 0.0, f32::abs), 3.0);
        }
        assert_eq!(highest(&[], 0.5, f32::abs), 0.5);
    }
}
