//! `fpsolve completions SHELL` and `fpsolve man`: what a shell and `man` read.

use super::Exit;
use super::arguments::Arguments;
use super::output::{print_file, reject};
use crate::run::files;
use calculus::diagnostic::Diagnostic;
use clap::CommandFactory;
use std::io;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell that is to read them
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub struct Man {
    /// Write a page for each command into this folder, not only the first to the standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

pub fn completions(arguments: &Completions) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "fpsolve", &mut text);
    print_file(&String::from_utf8_lossy(&text));
    Exit::Success
}

pub fn man(arguments: &Man) -> Exit {
    let written = match &arguments.out {
        None => page().map(|text| print_file(&text)),
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder)),
    };
    match written {
        Ok(()) => Exit::Success,
        Err(error) => {
            let title = format!("cannot write the manual: {}", files::reason(&error));
            reject(&Diagnostic::error("fp::unwritable_file", title).into(), false)
        }
    }
}

fn page() -> io::Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
