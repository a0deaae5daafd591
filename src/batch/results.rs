//! The file that a batch writes: its rows, sorted, as CSV or as JSON. It is whole at any time, so that a batch
//! that was ended can be resumed from it.

use super::lock::{Lock, Refused};
use super::{BatchRow, Label, Measured, RowKey, csv};
use crate::run::files;
use calculus::diagnostic::Diagnostic;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

const COLUMNS: [&str; 6] = ["program", "algorithm", "options", "verdict", "params", "detail"];
const MEASURED: [&str; 2] = ["seconds", "memory_mib"];
const SCHEMA: u64 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultFormat {
    Csv,
    Json,
}

impl ResultFormat {
    /// What the name of a file says.
    fn of(path: &Path) -> Result<ResultFormat, Diagnostic> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => Ok(ResultFormat::Csv),
            Some("json") => Ok(ResultFormat::Json),
            _ => {
                let title = format!("`{}` is neither a .csv nor a .json file", path.display());
                Err(Diagnostic::error("fp::usage", title).help("end it with .csv or .json"))
            }
        }
    }
}

fn read(path: &Path, format: ResultFormat) -> Result<Vec<BatchRow>, String> {
    // A pipe or a device may never end.
    if path.exists() && !path.is_file() && !path.is_dir() {
        return Err("it is no file".into());
    }
    let text = files::read(path)?;
    match format {
        ResultFormat::Csv => from_csv(&text),
        ResultFormat::Json => from_json(&text),
    }
}

/// The rows of a batch, and the file they are kept in.
#[derive(Debug)]
pub struct Results {
    file: Option<(PathBuf, ResultFormat)>,
    /// Nobody else writes the file meanwhile.
    _lock: Option<Lock>,
    /// Write times and memory too.
    measured: bool,
    pub rows: BTreeMap<RowKey, BatchRow>,
}

impl Results {
    /// Reads what the file has; a file that does not exist yet has nothing.
    pub fn open(path: Option<&Path>, measured: bool) -> Result<Results, Diagnostic> {
        let mut results = Results { file: None, _lock: None, measured, rows: BTreeMap::new() };
        let Some(path) = path else { return Ok(results) };
        let format = ResultFormat::of(path)?;
        results.file = Some((path.into(), format));
        results._lock = Some(locked(path)?);
        if path.exists() {
            let rows = read(path, format).map_err(|why| {
                Diagnostic::error("fp::unreadable_file", format!("cannot resume `{}`: {why}", path.display()))
                    .help("name another file with --out, or remove this one to start again")
            })?;
            results.rows = rows.into_iter().map(|row| (row.key.clone(), row)).collect();
        }
        Ok(results)
    }

    /// The rows of several files, such as those of the shards of a batch, for another file. Times are written if the
    /// files have some and they are wanted. What the other file had is forgotten.
    pub fn merged(parts: &[PathBuf], path: Option<&Path>, measured: bool) -> Result<Results, Diagnostic> {
        let mut results = Results::open(None, measured)?;
        for part in parts {
            results.merge(part)?;
        }
        results.measured &= results.rows.values().any(|row| row.measured.is_some());
        if let Some(path) = path {
            results.file = Some((path.into(), ResultFormat::of(path)?));
            results._lock = Some(locked(path)?);
        }
        Ok(results)
    }

    /// Of two rows about the same run the one with an answer stays; two answers must be equal.
    fn merge(&mut self, path: &Path) -> Result<(), Diagnostic> {
        let rows = read(path, ResultFormat::of(path)?).map_err(|why| {
            Diagnostic::error("fp::unreadable_file", format!("cannot merge `{}`: {why}", path.display()))
                .help("name files that `fpsolve batch --out` wrote")
        })?;
        for row in rows {
            match self.rows.get(&row.key) {
                Some(known) if known.label.is_answer() => {
                    let said = |row: &BatchRow| (row.label, row.params.clone(), row.detail.clone());
                    if row.label.is_answer() && said(known) != said(&row) {
                        let RowKey { program, algorithm, .. } = &row.key;
                        let title = format!(
                            "`{}` says {} of `{program}` with `{algorithm}`, and a file before it {}",
                            path.display(),
                            row.label.word(),
                            known.label.word()
                        );
                        return Err(Diagnostic::error("fp::usage", title)
                            .help("the files are of different programs or versions: run one of them again"));
                    }
                }
                _ => drop(self.rows.insert(row.key.clone(), row)),
            }
        }
        Ok(())
    }

    /// Writes all rows to the file, if there is one. Whoever reads it meanwhile sees the old file or the new one.
    pub fn write(&self) -> Result<(), Diagnostic> {
        let Some((path, format)) = &self.file else { return Ok(()) };
        let text = match format {
            ResultFormat::Csv => self.to_csv(),
            ResultFormat::Json => self.to_json(),
        };
        let mut beside = path.clone().into_os_string();
        beside.push(".new");
        let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
        written.map_err(|error| unwritable(path, &error))
    }

    fn to_csv(&self) -> String {
        let columns = COLUMNS.iter().chain(MEASURED.iter().filter(|_| self.measured));
        let mut out = csv::line(&columns.map(|name| name.to_string()).collect::<Vec<_>>());
        for row in self.rows.values() {
            let mut fields = cells(row).map(|(_, text)| text.to_string()).to_vec();
            if self.measured {
                fields
                    .push(row.measured.map_or(String::new(), |measured| format!("{:.3}", measured.seconds)));
                let memory = row.measured.and_then(|measured| measured.memory_mib);
                fields.push(memory.map_or(String::new(), |memory| memory.to_string()));
            }
            out += &csv::line(&fields);
        }
        out
    }

    fn to_json(&self) -> String {
        let rows = self.rows.values().map(|row| {
            let mut object = serde_json::Map::new();
            object.extend(cells(row).map(|(name, text)| (name.to_string(), Json::from(text))));
            if let Some(measured) = row.measured.filter(|_| self.measured) {
                let seconds = (measured.seconds * 1e3).round() / 1e3;
                object.insert("seconds".into(), seconds.into());
                object.insert("memory_mib".into(), measured.memory_mib.into());
            }
            Json::Object(object)
        });
        format!("{:#}\n", json!({ "schema": SCHEMA, "rows": rows.collect::<Vec<_>>() }))
    }
}

fn locked(path: &Path) -> Result<Lock, Diagnostic> {
    Lock::take(path).map_err(|refused| match refused {
        Refused::Taken => {
            let title = format!("another batch is writing `{}`", path.display());
            Diagnostic::error("fp::unwritable_file", title)
                .help("wait until it has ended, or name another file with --out")
        }
        Refused::Failed(error) => unwritable(path, &error),
    })
}

fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "its folder does not exist".into(),
        _ => files::reason(error),
    };
    Diagnostic::error("fp::unwritable_file", format!("cannot write `{}`: {why}", path.display()))
}

fn cells(row: &BatchRow) -> [(&'static str, &str); 6] {
    let RowKey { program, algorithm, options } = &row.key;
    let texts = [program, algorithm, options, row.label.word(), &row.params, &row.detail];
    std::array::from_fn(|at| (COLUMNS[at], texts[at]))
}

/// A row from its cells, by their names.
fn row<'a>(cell: impl Fn(&str) -> Option<&'a str>) -> Result<BatchRow, String> {
    let text = |name: &str| cell(name).map(str::to_string).ok_or(format!("a row has no `{name}`"));
    let word = text("verdict")?;
    let label = Label::read(&word).ok_or_else(|| format!("`{word}` is not a verdict of a batch"))?;
    let seconds = cell("seconds").and_then(|text| text.parse().ok());
    let memory_mib = cell("memory_mib").and_then(|text| text.parse().ok());
    Ok(BatchRow {
        key: RowKey { program: text("program")?, algorithm: text("algorithm")?, options: text("options")? },
        label,
        params: text("params")?,
        detail: text("detail")?,
        measured: seconds.map(|seconds| Measured { seconds, memory_mib }),
    })
}

fn from_csv(text: &str) -> Result<Vec<BatchRow>, String> {
    let mut lines =
        csv::read(text).map_err(|line| format!("line {line} has quotes that do not match"))?.into_iter();
    let head = lines.next().map(|(_, fields)| fields).unwrap_or_default();
    if head.len() < COLUMNS.len() || head.iter().zip(COLUMNS).any(|(name, known)| name != known) {
        return Err(format!("its first line is not {}", COLUMNS.join(",")));
    }
    let read = |(line, fields): (usize, Vec<String>)| {
        let cell = |name: &str| Some(fields.get(head.iter().position(|known| known == name)?)?.as_str());
        row(cell).map_err(|why| format!("line {line}: {why}"))
    };
    lines.map(read).collect()
}

fn from_json(text: &str) -> Result<Vec<BatchRow>, String> {
    let object: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if object["schema"] != SCHEMA {
        return Err(format!("it does not have the schema {SCHEMA} of a batch"));
    }
    let rows = object["rows"].as_array().ok_or("it has no rows")?;
    let read = |(at, object): (usize, &Json)| {
        let mut read = row(|name| object[name].as_str()).map_err(|why| format!("row {}: {why}", at + 1))?;
        let memory_mib = object["memory_mib"].as_u64();
        read.measured = object["seconds"].as_f64().map(|seconds| Measured { seconds, memory_mib });
        Ok(read)
    };
    rows.iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = std::env::temp_dir().join(format!("fpsolve-results-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["rows.csv", "rows.json"] {
            let path = folder.join(name);
            let mut results = Results::open(Some(&path), true).unwrap();
            for (number, label) in Label::ALL.into_iter().enumerate() {
                let key = RowKey {
                    program: format!("a,b\"{number}.bp"),
                    algorithm: "adequacy:rounds=1..4".into(),
                    options: String::new(),
                };
                let memory_mib = (number % 2 == 0).then_some(17);
                let measured = (number % 3 > 0).then_some(Measured { seconds: 0.125, memory_mib });
                let row =
                    BatchRow { key, label, params: "rounds=2".into(), detail: "why\nnot".into(), measured };
                results.rows.insert(row.key.clone(), row);
            }
            results.write().unwrap();
            let rows = std::mem::take(&mut results.rows);
            drop(results);
            assert_eq!(Results::open(Some(&path), true).unwrap().rows, rows, "{name}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
