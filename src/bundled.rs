//! The algorithms that come with the binary: every `.fp` file below `algorithms/`, embedded when it is built.
//!
//! They can be named on the command line without folder and extension, and used by files with their path
//! below `algorithms/`. Those in a folder `lib` are there to be used only.

/// One embedded file.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Below `algorithms/`, with slashes: `lib/init.fp`
    pub path: &'static str,
    pub text: &'static str,
}

/// All of them, in the order of their paths.
pub static ALGORITHMS: &[Algorithm] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// What diagnostics put before the path of an embedded file.
pub const PREFIX: &str = "bundled:";

impl Algorithm {
    /// The name to run it by: without folder and extension.
    pub fn name(&self) -> &'static str {
        let file = self.path.rsplit('/').next().unwrap_or(self.path);
        file.strip_suffix(".fp").unwrap_or(file)
    }

    /// What diagnostics call it.
    pub fn title(&self) -> String {
        format!("{PREFIX}{}", self.path)
    }

    /// Made to be used by other files, not to be run.
    pub fn is_library(&self) -> bool {
        self.path.split('/').any(|part| part == "lib")
    }

    /// The first sentence of its header.
    pub fn summary(&self) -> String {
        summary(self.text)
    }
}

/// The embedded file with this path below `algorithms/`.
pub fn at(path: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.path == path)
}

/// The algorithm that a command line means: by its path with or without extension, or by its bare name.
/// Several algorithms of one name are told apart by their folders; then the error names them.
pub fn named(name: &str) -> Result<Option<&'static Algorithm>, Vec<&'static str>> {
    let path = name.strip_suffix(".fp").unwrap_or(name);
    if let Some(exact) = ALGORITHMS.iter().find(|algorithm| algorithm.path.strip_suffix(".fp") == Some(path))
    {
        return Ok(Some(exact));
    }
    let same = runnable().filter(|algorithm| algorithm.name() == path).collect::<Vec<_>>();
    match same[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        _ => Err(same.iter().map(|algorithm| algorithm.path).collect()),
    }
}

/// The algorithms that are made to be run.
pub fn runnable() -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(|algorithm| !algorithm.is_library())
}

/// The first sentence of the `//!` lines at the beginning of a text.
fn summary(text: &str) -> String {
    let mut words = Vec::new();
    let lines = text.lines().skip_while(|line| line.trim().is_empty());
    for line in lines.map_while(|line| line.trim_start().strip_prefix("//!")) {
        if line.trim().is_empty() && !words.is_empty() {
            break;
        }
        for word in line.split_whitespace() {
            words.push(word);
            if word.ends_with(['.', '!', '?']) && !["e.g.", "i.e.", "cf.", "al."].contains(&word) {
                return words.join(" ");
            }
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_the_first_sentence_of_the_header() {
        assert_eq!(
            summary("//! Decides reachability\n//! of a goal. Sound.\nuse program;"),
            "Decides reachability of a goal."
        );
        assert_eq!(summary("\n//! No full stop\n//!\n//! Second paragraph."), "No full stop");
        assert_eq!(summary("//! After La Torre et al. in 2009. More."), "After La Torre et al. in 2009.");
        assert_eq!(summary("query A = true;\n//! late"), "");
    }

    #[test]
    fn names_leave_out_folder_and_extension() {
        let algorithm = Algorithm { path: "rounds/linear.fp", text: "" };
        assert_eq!((algorithm.name(), algorithm.is_library()), ("linear", false));
        assert!(Algorithm { path: "lib/init.fp", text: "" }.is_library());
    }

    #[test]
    fn every_bundled_algorithm_has_a_name_and_a_summary() {
        for algorithm in runnable() {
            assert_eq!(named(algorithm.name()).unwrap().unwrap().path, algorithm.path);
            assert!(!algorithm.summary().is_empty(), "{} has no header", algorithm.path);
        }
    }
}
