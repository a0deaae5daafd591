//! The C preprocessor: the one of the system, with headers of our own.
//!
//! A text without directives needs none. Headers of the system would bring names that nobody asked for, so they are not
//! read: those that programs with threads use are here, with what is known of their functions.

use calculus::diagnostic::Diagnostic;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

/// The headers, by name.
const HEADERS: &[(&str, &str)] = &[
    ("assert.h", include_str!("headers/assert.h")),
    ("errno.h", include_str!("headers/errno.h")),
    ("inttypes.h", include_str!("headers/inttypes.h")),
    ("limits.h", include_str!("headers/limits.h")),
    ("pthread.h", include_str!("headers/pthread.h")),
    ("sched.h", include_str!("headers/sched.h")),
    ("semaphore.h", include_str!("headers/semaphore.h")),
    ("stdatomic.h", include_str!("headers/stdatomic.h")),
    ("stdbool.h", include_str!("headers/stdbool.h")),
    ("stddef.h", include_str!("headers/stddef.h")),
    ("stdint.h", include_str!("headers/stdint.h")),
    ("stdio.h", include_str!("headers/stdio.h")),
    ("stdlib.h", include_str!("headers/stdlib.h")),
    ("string.h", include_str!("headers/string.h")),
    ("time.h", include_str!("headers/time.h")),
    ("unistd.h", include_str!("headers/unistd.h")),
];

/// What is declared without any header: types that preprocessed texts use, and that have a meaning of their own here.
pub const PRELUDE: &str = include_str!("headers/prelude.h");

/// What the markers call the prelude.
pub const PRELUDE_NAME: &str = "<fpsolve>";

/// Whether a text has directives other than line markers.
pub fn has_directives(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('#') && super::places::marker(line).is_none())
}

/// How the folders with the headers are called.
const FOLDER: &str = "fpsolve-headers-";

/// A folder that is gone when this is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        let process = std::process::id();
        for number in 0..1000 {
            let path = std::env::temp_dir().join(format!("{FOLDER}{process}-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it any more; what cannot be removed stays.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The name of a header of our own, if markers call it so.
pub fn own_header(file: &str) -> Option<&'static str> {
    let (folder, name) = Path::new(file).parent().zip(Path::new(file).file_name())?;
    let ours = folder.file_name()?.to_str()?.starts_with(FOLDER);
    let known = HEADERS.iter().find(|(header, _)| name.to_str() == Some(header));
    known.map(|(header, _)| *header).filter(|_| ours)
}

/// The preprocessed text of a file. The markers call the file `name`.
pub fn preprocess(name: &str, text: &str) -> Result<String, Diagnostic> {
    if !has_directives(text) {
        return Ok(format!("# 1 \"{}\"\n{text}", escaped(name)));
    }
    let failed = |why: String| {
        Diagnostic::error("c::preprocessor", format!("`{name}` cannot be preprocessed: {why}")).help(
            "install a C compiler called cc, or give fpsolve the preprocessed file: cc -E prog.c > prog.i",
        )
    };
    let folder = Folder::new().map_err(|error| failed(error.to_string()))?;
    for (header, text) in HEADERS {
        fs::write(folder.0.join(header), text).map_err(|error| failed(error.to_string()))?;
    }
    let beside = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut command = Command::new("cc");
    command.args(["-E", "-nostdinc", "-std=gnu11", "-D__thread=_Thread_local", "-D__FPSOLVE__=1", "-iquote"]);
    command.arg(beside.unwrap_or(Path::new("."))).arg("-isystem").arg(&folder.0).args(["-x", "c", "-"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| failed(format!("cc cannot be started ({error})")))?;
    let mut input = child.stdin.take().expect("it is piped");
    let given = format!("# 1 \"{}\"\n{text}", escaped(name));
    // Both ends at once: neither waits for the other.
    let writer = std::thread::spawn(move || io::Write::write_all(&mut input, given.as_bytes()));
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    let written = writer.join().unwrap_or(Ok(()));
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let first = told.lines().find(|line| line.contains("error")).unwrap_or("cc -E failed");
        let known = HEADERS.iter().map(|(header, _)| *header).collect::<Vec<_>>().join(", ");
        let title = format!("`{name}` cannot be preprocessed: {first}");
        return Err(Diagnostic::error("c::preprocessor", title)
            .help(format!("fpsolve has its own {known}; other headers have to stand beside the program")));
    }
    written.map_err(|error| failed(error.to_string()))?;
    String::from_utf8(output.stdout).map_err(|_| failed("it is not UTF-8 text".into()))
}

/// A name inside the quotes of a line marker.
pub fn escaped(name: &str) -> String {
    name.replace(['"', '\\', '\n'], "_")
}
