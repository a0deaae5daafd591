//! Embeds the bundled algorithms: a table of every `.fp` file below `algorithms/`, with its text.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=algorithms");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let folder = root.join("algorithms");
    let mut files = Vec::new();
    if folder.is_dir() {
        collect(&folder, &mut files).expect("the folder algorithms/ can be read");
    }
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let inside = file.strip_prefix(&folder).expect("found below the folder");
        let path = inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        let file = file.to_string_lossy();
        writeln!(table, "    Algorithm {{ path: {path:?}, text: include_str!({file:?}) }},")
            .expect("a string takes everything");
    }
    table.push_str("]\n");
    fs::write(out.join("bundled.rs"), table).expect("OUT_DIR can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "fp") {
            files.push(path);
        }
    }
    Ok(())
}
