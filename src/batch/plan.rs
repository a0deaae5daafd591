//! What a batch is to run: programs and algorithms.

use crate::model::registry;
use crate::run::deepen::Deepening;
use crate::run::files;
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeSet;
use std::path::Path;

/// An algorithm with its settings, `adequacy:rounds=1..4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchAlgorithm {
    /// A bundled algorithm or a file.
    pub file: String,
    pub set: Vec<(String, i64)>,
    pub deepen: Option<Deepening>,
    /// The algorithm that finds the runs from which it learns predicates, if it does.
    pub refine: Option<String>,
}

impl BatchAlgorithm {
    /// Reads `NAME` or `NAME:SETTING,…`, where a setting is `rounds=4` or, to deepen, `rounds=1..4`.
    pub fn parse(text: &str) -> Result<BatchAlgorithm, String> {
        let (file, settings) = match text.rsplit_once(':') {
            Some((file, settings)) if settings.contains('=') => (file, settings),
            _ => (text, ""),
        };
        let mut algorithm = BatchAlgorithm { file: file.into(), set: Vec::new(), deepen: None, refine: None };
        if file == "-" {
            return Err("a batch reads its algorithm many times: name a file".into());
        }
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            let shape =
                "write NAME:SETTING,…, for example linear_interfaces:rounds=4 or adequacy:rounds=1..4";
            let (name, value) = setting.split_once('=').ok_or(shape)?;
            if value.contains("..") {
                if algorithm.deepen.replace(Deepening::parse(setting)?).is_some() {
                    return Err("only one parameter can be deepened".into());
                }
            } else {
                let value =
                    value.trim().parse().map_err(|_| format!("`{value}` is not an integer; {shape}"))?;
                algorithm.set.push((name.trim().into(), value));
            }
        }
        Ok(algorithm)
    }

    /// The name that rows and tables speak of it by: equal settings, equal names.
    pub fn name(&self) -> String {
        let mut settings = self.set.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
        settings.sort();
        settings.extend(self.deepen.as_ref().map(written));
        if settings.is_empty() { self.file.clone() } else { format!("{}:{}", self.file, settings.join(",")) }
    }

    /// The arguments of a run that say these settings.
    pub fn arguments(&self) -> Vec<String> {
        let set = self.set.iter().map(|(name, value)| format!("--set={name}={value}"));
        let deepen = self.deepen.iter().map(|deepening| format!("--deepen={}", written(deepening)));
        set.chain(deepen).chain(self.refine.iter().map(|search| format!("--refine={search}"))).collect()
    }
}

fn written(deepening: &Deepening) -> String {
    let last = deepening.last.map_or(String::new(), |last| last.to_string());
    format!("{}={}..{last}", deepening.param, deepening.first)
}

/// A part of a batch, `3/16`: every sixteenth run, beginning with the third. The runs are counted in the order of their
/// rows, so the parts of a batch are the same on every machine that has the same programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    pub fn parse(text: &str) -> Result<Shard, String> {
        let numbers =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err("write NUMBER/OF, for example 3/16, with a number from 1 on".into()),
        }
    }

    /// Whether the run with this position in the whole batch, counted from 0, belongs to the part.
    pub fn has(self, position: usize) -> bool {
        position % self.of + 1 == self.number
    }
}

/// The programs that folders, files and patterns mean, each once, in the order of their names.
pub fn programs(paths: &[String]) -> Result<Vec<String>, Diagnostic> {
    let mut found = BTreeSet::new();
    let endings = registry::endings().collect::<Vec<_>>();
    for path in paths {
        if Path::new(path).is_dir() {
            found.extend(files::walk(std::slice::from_ref(path), &endings)?);
        } else if Path::new(path).exists() {
            if !files::is_model(path) {
                let title = format!("`{path}` is not a Boolean program");
                return Err(Diagnostic::error("fp::usage", title)
                    .help(format!("programs end with {}", registry::endings_in_words())));
            }
            found.insert(path.clone());
        } else {
            found.extend(matching(path)?);
        }
    }
    Ok(found.into_iter().collect())
}

fn matching(pattern: &str) -> Result<Vec<String>, Diagnostic> {
    let help = "name folders, programs, or a pattern such as 'drivers/**/*.bp', in quotes";
    let mistake = |title: String| Diagnostic::error("fp::usage", title).help(help);
    let paths = glob::glob(pattern).map_err(|error| {
        mistake(format!("`{pattern}` is not a pattern: {} at character {}", error.msg, error.pos + 1))
    })?;
    // What cannot be read has no programs that could be run.
    let models = paths.flatten().filter(|path| files::is_model(&path.to_string_lossy()));
    let names = models.map(|path| files::spelled(&path)).collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        let any = pattern.contains(['*', '?', '[']);
        let title = if any { "no program matches" } else { "there is no folder or program" };
        return Err(mistake(format!("{title} `{pattern}`")));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_is_in_one_shard() {
        for of in 1..=5 {
            let shards = (1..=of).map(|number| Shard::parse(&format!("{number}/{of}")).unwrap());
            let shards = shards.collect::<Vec<_>>();
            for position in 0..23 {
                assert_eq!(
                    shards.iter().filter(|shard| shard.has(position)).count(),
                    1,
                    "{position} of {of}"
                );
            }
        }
        for bad in ["0/4", "5/4", "1/0", "1", "/", "-1/4", "1/4/4", "a/b"] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn algorithms_have_settings() {
        let algorithm = BatchAlgorithm::parse("adequacy:x=3,rounds=1..4,a=-1").unwrap();
        assert_eq!(algorithm.name(), "adequacy:a=-1,x=3,rounds=1..4");
        assert_eq!(algorithm.arguments(), ["--set=x=3", "--set=a=-1", "--deepen=rounds=1..4"]);
        assert_eq!(BatchAlgorithm::parse("own/file.fp").unwrap().name(), "own/file.fp");
        assert_eq!(BatchAlgorithm::parse("bundled:summaries").unwrap().name(), "bundled:summaries");
        for bad in ["a:x=", "a:x=1..2,y=1..2", "a:x=y", "a:x=1,y", "-"] {
            assert!(BatchAlgorithm::parse(bad).is_err(), "{bad}");
        }
    }
}
