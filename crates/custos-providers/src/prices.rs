//! What tokens cost, estimated.
//!
//! The providers do not say what an answer cost, so the models that are asked by default, and their nearest relatives, stand here with
//! their list prices as of November 2026. A model that is not listed costs an unknown amount, never nothing.

use custos_distill::model::Spent;

/// Millionths of a dollar for a million tokens, which is dollars for a million tokens times 1,000,000.
struct Price {
    model: &'static str,
    input: u64,
    cached: u64,
    output: u64,
}

const fn price(model: &'static str, input: u64, cached: u64, output: u64) -> Price {
    Price { model, input, cached, output }
}

const PRICES: [Price; 7] = [
    price("claude-haiku-4-5", 1_000_000, 100_000, 5_000_000),
    price("claude-sonnet-4-5", 3_000_000, 300_000, 15_000_000),
    price("gpt-5-mini", 250_000, 25_000, 2_000_000),
    price("gpt-5-nano", 50_000, 5_000, 400_000),
    price("gpt-5.4-mini", 750_000, 75_000, 4_500_000),
    price("gemini-2.5-flash-lite", 100_000, 10_000, 400_000),
    price("gemini-2.5-flash", 300_000, 30_000, 2_500_000),
];

/// Estimates what was spent in millionths of a dollar, for a model of the list or a dated version of one.
pub(crate) fn estimate(model: &str, spent: &Spent) -> Option<u64> {
    let is_dated =
        |rest: &str| rest.is_empty() || rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let price = PRICES.iter().find(|price| model.strip_prefix(price.model).is_some_and(is_dated))?;
    let fresh = spent.input.saturating_sub(spent.cached);
    let parts = [(fresh, price.input), (spent.cached, price.cached), (spent.output, price.output)];
    let sum: u64 =
        parts.iter().map(|(tokens, price)| tokens.saturating_mul(*price)).fold(0, u64::saturating_add);
    Some(sum.div_ceil(1_000_000))
}

/// Estimates tokens by four characters each, where nobody counted.
pub(crate) fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPENT: Spent = Spent { input: 3_000, cached: 1_000, output: 500, microdollars: None };

    #[rstest::rstest]
    #[case("claude-haiku-4-5", Some(4_600))]
    #[case("claude-haiku-4-5-20251001", Some(4_600))]
    #[case("gpt-5-mini-2025-08-07", Some(1_525))]
    #[case("gemini-2.5-flash-lite", Some(410))]
    #[case("gpt-5-mini-turbo", None)]
    #[case("llama3.3", None)]
    fn listed_models_have_a_price(#[case] model: &str, #[case] microdollars: Option<u64>) {
        assert_eq!(estimate(model, &SPENT), microdollars);
    }
}
