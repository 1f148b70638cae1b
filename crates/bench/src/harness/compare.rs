//! A comparison: the product and a rival take turns. The result is the median ratio of neighbouring turns.

use crate::harness::context::Bench;
use crate::harness::load::{Figures, Latency};
use crate::harness::outcome::Outcome;
use crate::harness::report::{self, count};

/// The number of connections to which targets apply.
pub const TARGET_CONNECTIONS: usize = 64;

/// What is compared, and its targets.
pub struct Comparison {
    pub title: String,
    pub rival: &'static str,
    pub connections: &'static [usize],
    pub rounds: usize,
    pub ratio_min: f64,
    pub per_second_min: Option<f64>,
}

/// All turns with one number of connections, in the order of the rounds.
#[derive(Default)]
struct Turns {
    product: Vec<Figures>,
    rival: Vec<Figures>,
}

/// Runs the turns of both sides, prints the table, and records the targets.
pub async fn compare(
    bench: &mut Bench,
    comparison: Comparison,
    product: impl AsyncFn(usize) -> Outcome<Figures>,
    rival: impl AsyncFn(usize) -> Outcome<Figures>,
) -> Outcome<()> {
    let all = comparison.connections;
    let mut turns: Vec<Turns> = all.iter().map(|_| Turns::default()).collect();
    for round in 0..comparison.rounds {
        for (turns, &connections) in turns.iter_mut().zip(all) {
            let (title, rounds) = (&comparison.title, comparison.rounds);
            bench.progress(&format!("{title}: round {} of {rounds}, {connections} connections", round + 1));
            // The sides alternate in going first, so that drift favours neither.
            if round % 2 == 0 {
                turns.product.push(product(connections).await?);
                turns.rival.push(rival(connections).await?);
            } else {
                turns.rival.push(rival(connections).await?);
                turns.product.push(product(connections).await?);
            }
        }
    }
    let mut rows = vec![heading(comparison.rival)];
    for (turns, &connections) in turns.iter().zip(all) {
        let verdict =
            if connections == TARGET_CONNECTIONS { note(bench, &comparison, turns) } else { String::new() };
        rows.push(turns.row(connections, verdict));
    }
    bench.print(&format!("\n{}\n{}", comparison.title, report::table(&rows)))
}

fn heading(rival: &str) -> Vec<String> {
    let rival = format!("{rival}/s");
    let side = |name| [name, "p50 ms", "p99 ms", "cpu us"];
    let columns =
        ["clients"].into_iter().chain(side("product/s")).chain(side(&rival)).chain(["ratio", "target"]);
    columns.map(str::to_owned).collect()
}

/// Checks the turns against the targets, and returns the result for the ratio.
fn note(bench: &mut Bench, comparison: &Comparison, turns: &Turns) -> String {
    let what = format!("{}, of {}", comparison.title, comparison.rival);
    let verdict =
        bench.targets.at_least(&what, turns.ratio(), comparison.ratio_min, |ratio| format!("{ratio:.2}"));
    if let Some(least) = comparison.per_second_min {
        let what = format!("{}, per second", comparison.title);
        let per_second = median(turns.product.iter().map(|figures| figures.per_second));
        bench.targets.at_least(&what, per_second, least, count);
    }
    verdict
}

impl Turns {
    /// Returns the median of the rounds' ratios.
    fn ratio(&self) -> f64 {
        let pairs = self.product.iter().zip(&self.rival);
        median(pairs.map(|(product, rival)| product.per_second / rival.per_second))
    }

    fn row(&self, connections: usize, verdict: String) -> Vec<String> {
        let mut row = vec![connections.to_string()];
        for side in [&self.product, &self.rival] {
            row.push(count(median(side.iter().map(|figures| figures.per_second))));
            let latency = |pick: fn(Latency) -> u32| {
                middle(side, |figures| figures.latency.map(|latency| f64::from(pick(latency)) / 1000.0), 2)
            };
            row.push(latency(|latency| latency.p50_micros));
            row.push(latency(|latency| latency.p99_micros));
            row.push(middle(side, |figures| figures.cpu_micros, 1));
        }
        row.push(format!("{:.2}", self.ratio()));
        row.push(verdict);
        row
    }
}

/// Returns the median of a figure, or a dash if it is unknown.
fn middle(side: &[Figures], pick: impl Fn(&Figures) -> Option<f64>, decimals: usize) -> String {
    let known: Vec<f64> = side.iter().filter_map(pick).collect();
    if known.is_empty() { "-".to_owned() } else { format!("{:.decimals$}", median(known.into_iter())) }
}

/// Returns the median. For an even number of values, it is the mean of the two in the middle.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        many if many % 2 == 1 => values[many / 2],
        many => f64::midpoint(values[many / 2 - 1], values[many / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }
}
