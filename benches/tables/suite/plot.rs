//! The ratios of a suite as a picture: a line per case, a mark per setting, on a logarithmic scale.

use super::{Ratio, Suite};
use std::time::Duration;

/// Colours that also differ for those who do not see all of them, and a shape each.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000"];

const LINE: f64 = 17.0;
const TOP: f64 = 64.0;
const LEFT: f64 = 440.0;
const WIDTH: f64 = 560.0;
const RIGHT: f64 = 30.0;

/// Powers of two from left to right.
struct Scale {
    first: i32,
    last: i32,
}

impl Scale {
    /// What holds all ratios, and at least from a half to eight times.
    fn new(suite: &Suite) -> Scale {
        let ratios = suite.measurements.iter().flat_map(|measurement| measurement.ratios.iter().flatten());
        let powers = ratios.map(|ratio| ratio.value.max(1e-3).log2()).collect::<Vec<_>>();
        let first = powers.iter().fold(-1.0, |least: f64, &power| least.min(power.floor()));
        let last = powers.iter().fold(3.0, |most: f64, &power| most.max(power.ceil()));
        Scale { first: first as i32, last: last as i32 }
    }

    fn x(&self, ratio: f64) -> f64 {
        let part = (ratio.max(1e-3).log2() - f64::from(self.first)) / f64::from(self.last - self.first);
        LEFT + WIDTH * part
    }
}

pub fn draw(suite: &Suite) -> String {
    let scale = Scale::new(suite);
    let lines = suite.measurements.len() + 1;
    let bottom = TOP + LINE * lines as f64;
    let (width, height) = (LEFT + WIDTH + RIGHT, bottom + 30.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\">Time as a multiple of the default</text>\n"
    );
    svg += &legend(suite);
    svg += &grid(&scale, bottom);
    for (number, measurement) in suite.measurements.iter().enumerate() {
        let y = TOP + LINE * (number as f64 + 0.5);
        if number % 2 == 0 {
            svg += &format!(
                "<rect x=\"0\" y=\"{:.1}\" width=\"{width}\" height=\"{LINE}\" fill=\"#000\" opacity=\"0.04\"/>\n",
                y - LINE / 2.0
            );
        }
        let title = format!("{}, {:.2} s", measurement.name, measurement.time.as_secs_f64());
        svg += &label(&title, y, "normal");
        svg += &marks(&scale, &measurement.ratios, y);
    }
    let y = TOP + LINE * (lines as f64 - 0.5);
    let means = (0..suite.columns.len()).map(|column| suite.mean(column, Duration::ZERO)).collect::<Vec<_>>();
    svg += &label("geometric mean", y, "bold");
    svg += &marks(&scale, &means, y);
    svg + "</svg>\n"
}

fn legend(suite: &Suite) -> String {
    let mut out = String::new();
    for (column, name) in suite.columns.iter().enumerate() {
        let x = LEFT + 98.0 * column as f64;
        out += &mark(column, x, 16.0, false);
        out += &format!("<text x=\"{:.1}\" y=\"20\">{}</text>\n", x + 9.0, escaped(name));
    }
    let hint = "an arrow: at least so many times, the run was given up";
    out + &format!("<text x=\"{LEFT}\" y=\"38\" fill=\"#555\">{hint}</text>\n")
}

fn grid(scale: &Scale, bottom: f64) -> String {
    let mut out = String::new();
    for power in scale.first..=scale.last {
        let x = scale.x(2f64.powi(power));
        let colour = if power == 0 { "#555" } else { "#ccc" };
        let name = if power < 0 { format!("1/{}", 1u64 << -power) } else { (1u64 << power).to_string() };
        out += &format!(
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"{colour}\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>\n",
            TOP - 6.0,
            bottom + 16.0
        );
    }
    out
}

fn label(title: &str, y: f64, weight: &str) -> String {
    let x = LEFT - 12.0;
    let title = escaped(title);
    format!(
        "<text x=\"{x}\" y=\"{:.1}\" text-anchor=\"end\" font-weight=\"{weight}\">{title}</text>\n",
        y + 4.0
    )
}

fn marks(scale: &Scale, ratios: &[Option<Ratio>], y: f64) -> String {
    let ratios = ratios.iter().enumerate();
    ratios
        .filter_map(|(column, ratio)| ratio.map(|ratio| mark(column, scale.x(ratio.value), y, ratio.bound)))
        .collect()
}

/// The mark of a column: each has a shape and a colour. A bound points to the right.
fn mark(column: usize, x: f64, y: f64, bound: bool) -> String {
    let colour = COLOURS[column % COLOURS.len()];
    let polygon = |corners: &[(f64, f64)]| {
        let points = corners.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy));
        format!("<polygon points=\"{}\" fill=\"{colour}\"/>\n", points.collect::<Vec<_>>().join(" "))
    };
    if bound {
        return polygon(&[
            (-4.0, -1.2),
            (2.0, -1.2),
            (2.0, -4.5),
            (8.0, 0.0),
            (2.0, 4.5),
            (2.0, 1.2),
            (-4.0, 1.2),
        ]);
    }
    match column {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>\n"),
        1 => polygon(&[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)]),
        2 => polygon(&[(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)]),
        3 => polygon(&[(0.0, 5.0), (5.0, -4.0), (-5.0, -4.0)]),
        4 => polygon(&[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)]),
        _ => format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"white\" stroke=\"{colour}\" stroke-width=\"2\"/>\n"
        ),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
