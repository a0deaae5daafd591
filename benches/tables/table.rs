//! Markdown tables, as they stand in docs/measurements.md.

use std::path::Path;
use std::time::Duration;

pub struct Table {
    command: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// The command line that makes the table goes into its first line.
    pub fn new(command: String, head: &[&str]) -> Table {
        Table { command, rows: vec![head.iter().map(|cell| cell.to_string()).collect()] }
    }

    /// A row is also told at once: a table can take minutes.
    pub fn row(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.rows[0].len(), "a row has as many cells as the head");
        eprintln!("{}", row.join("  "));
        self.rows.push(row);
    }

    pub fn text(&self) -> String {
        let width = |at: usize| self.rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).max(3);
        let widths = (0..self.rows[0].len()).map(width).collect::<Vec<_>>();
        let mut text = format!("<!-- {} -->\n\n", self.command);
        for (number, row) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
                0 => format!(" {cell:<width$} |"),
                _ => format!(" {cell:>width$} |"),
            });
            text += &format!("|{}\n", cells.collect::<String>());
            if number == 0 {
                let rules = widths.iter().enumerate().map(|(at, width)| match at {
                    0 => format!("{}|", "-".repeat(width + 2)),
                    _ => format!("{}:|", "-".repeat(width + 1)),
                });
                text += &format!("|{}\n", rules.collect::<String>());
            }
        }
        text
    }

    pub fn print(&self, out: Option<&Path>) -> Result<(), String> {
        let text = self.text();
        print!("{text}");
        match out {
            Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display())),
            None => Ok(()),
        }
    }
}

/// Seconds with two digits behind the point: columns of times are easier to compare in one unit.
pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// `1,234,567`
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts = digits.as_bytes().rchunks(3).rev().map(|part| String::from_utf8_lossy(part));
    parts.collect::<Vec<_>>().join(",")
}
