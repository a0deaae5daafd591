//! How time grows with each dimension of a program, one at a time: statements, shared variables, locals, threads,
//! contexts, rounds.
//!
//! Where the dimension grows by a factor, the growth is an exponent: time ~ size^e, a line fitted to the logarithms of
//! the last points. Where it grows by one, the growth is a factor per step. Points below a hundredth of a second say
//! nothing about growth and are left out, and so are those with an error, which end early; a curve ends at its first
//! point out of time.

use crate::generate::driver;
use crate::generate::sequential::{Requests, Size, program};
use crate::measure::{Job, Measured};
use crate::table::{Table, grouped};
use crate::{Tabling, bluetooth};
use std::time::Duration;

struct Curve {
    title: &'static str,
    algorithm: &'static str,
    sizes: &'static [usize],
    /// The sizes are one apart, and what is fitted is a factor per step.
    steps: bool,
    text: fn(usize) -> String,
    /// What is set for a size.
    bound: fn(usize) -> Option<String>,
}

fn nothing(_: usize) -> Option<String> {
    None
}

const CURVES: &[Curve] = &[
    Curve {
        title: "statements",
        algorithm: "summaries",
        sizes: &[1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000],
        steps: false,
        text: |statements| sequential(statements, 60),
        bound: nothing,
    },
    Curve {
        title: "shared variables",
        algorithm: "summaries",
        sizes: &[4, 8, 16, 32, 64],
        steps: false,
        text: |globals| sequential(2_000, globals),
        bound: nothing,
    },
    Curve {
        title: "shared variables",
        algorithm: "linear_interfaces",
        sizes: &[4, 8, 16, 32, 64],
        steps: false,
        text: |shared| parameterized(shared, 2),
        bound: |_| Some("rounds=2".into()),
    },
    Curve {
        title: "locals",
        algorithm: "linear_interfaces",
        sizes: &[4, 8, 16, 32],
        steps: false,
        text: |locals| parameterized(4, locals),
        bound: |_| Some("rounds=2".into()),
    },
    Curve {
        title: "threads",
        algorithm: "lazy_cba",
        sizes: &[2, 3, 4, 5, 6, 8, 10, 12, 14, 16],
        steps: false,
        text: |threads| {
            let adders = threads.div_ceil(2).min(6);
            bluetooth::mixed(adders, threads - adders)
        },
        bound: |_| Some("contexts=3".into()),
    },
    Curve {
        title: "contexts",
        algorithm: "lazy_cba",
        sizes: &[1, 2, 3, 4, 5, 6, 7, 8],
        steps: true,
        text: |_| bluetooth::program(3),
        bound: |contexts| Some(format!("contexts={contexts}")),
    },
    Curve {
        title: "rounds",
        algorithm: "linear_interfaces",
        sizes: &[1, 2, 3, 4, 5, 6, 7, 8],
        steps: true,
        text: |_| parameterized(4, 2),
        bound: |rounds| Some(format!("rounds={rounds}")),
    },
];

fn sequential(statements: usize, globals: usize) -> String {
    program(&Size { statements, globals, procedures: statements / 100, requests: Requests::One }, 1, false)
}

/// Seed 6 of the generator has no bug.
fn parameterized(shared: usize, locals: usize) -> String {
    driver::program(&driver::Size { statements: 60, shared, locals }, 6)
}

/// What takes less is mostly the beginning and the end of a run.
const LEAST: Duration = Duration::from_millis(10);
/// How many of the last points are fitted.
const LAST: usize = 4;

pub fn table(tabling: &Tabling) -> Result<(), String> {
    let limit = tabling.limit(Duration::from_secs(60));
    let head = ["dimension", "algorithm", "size", "verdict", "reading", "time", "×", "peak nodes", "growth"];
    let mut table = Table::new(tabling.command(&format!("scaling --limit {}s", limit.as_secs_f64())), &head);
    for curve in CURVES {
        let mut points: Vec<(usize, Duration)> = Vec::new();
        for (number, &size) in curve.sizes.iter().enumerate() {
            let mut job = Job::new(curve.algorithm, limit, tabling.no_reordering());
            job.set = (curve.bound)(size);
            let measured = job.measure(&(curve.text)(size))?;
            let before = points.last().map(|(_, time)| time.as_secs_f64());
            let finished = measured.verdict.is_some();
            if finished && measured.verdict.as_deref() != Some("unsafe") {
                points.push((size, measured.solving));
            }
            let ended = !finished || number + 1 == curve.sizes.len();
            table.row(vec![
                curve.title.into(),
                curve.algorithm.into(),
                grouped(size as u64),
                measured.verdict.clone().unwrap_or("–".into()),
                crate::table::seconds(measured.reading),
                measured.time(),
                ratio(before, &measured),
                measured.peak_nodes(),
                if ended { growth(curve, &points) } else { String::new() },
            ]);
            if !finished {
                break;
            }
        }
    }
    table.print(tabling.out.as_deref())
}

fn ratio(before: Option<f64>, measured: &Measured) -> String {
    match (before, &measured.verdict) {
        (Some(before), Some(_)) => format!("{:.1}", measured.solving.as_secs_f64() / before),
        _ => String::new(),
    }
}

/// The slope of the logarithms of the last points, as an exponent or a factor.
fn growth(curve: &Curve, points: &[(usize, Duration)]) -> String {
    let told = points.iter().filter(|(_, time)| *time >= LEAST).collect::<Vec<_>>();
    let last = &told[told.len().saturating_sub(LAST)..];
    if last.len() < 2 {
        return "–".into();
    }
    let x = |size: usize| if curve.steps { size as f64 } else { (size as f64).ln() };
    let points = last.iter().map(|(size, time)| (x(*size), time.as_secs_f64().ln())).collect::<Vec<_>>();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (middle, height) = (mean(|point| point.0), mean(|point| point.1));
    let along = points.iter().map(|(x, y)| (x - middle) * (y - height)).sum::<f64>();
    let slope = along / points.iter().map(|(x, _)| (x - middle).powi(2)).sum::<f64>();
    match curve.steps {
        true => format!("× {:.2} per step", slope.exp()),
        false => format!("size^{slope:.2}"),
    }
}
