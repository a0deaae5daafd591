//! Finds CUDD 3.0.0 or builds it, and tells rustc how to link it.
//!
//! In order: a library named by `CUDD_DIR`; one that pkg-config knows; the sources that the registry package
//! `yices2-sys` carries. The last way needs cargo and a C compiler only. Cargo is asked for the *files* of that
//! package, by way of a throw-away manifest: it never becomes a dependency, its build script never runs, and
//! nothing of it but the CUDD archive (BSD licence) is used. Whatever registry, mirror or vendored directory
//! this build uses for its other packages serves this one as well.

use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CARRIER: &str = "yices2-sys";
const CARRIER_VERSION: &str = "2.6.4";
const ARCHIVE: &str = "third-party/cudd-3.0.0.tar.gz";
const ARCHIVE_SHA256: &str = "b8e966b4562c96a03e7fbea239729587d7b395d53cadcc39a7203b49cf7eeb69";

/// What the build script of the carrier depends on. Empty packages stand in for these, so that cargo downloads
/// one package and not the fifty that parsing C headers takes.
const STAND_INS: [(&str, &str); 6] = [
    ("anyhow", "1.0.72"),
    ("bindgen", "0.66.1"),
    ("flate2", "1.0.27"),
    ("num_cpus", "1.16.0"),
    ("tar", "0.4.40"),
    ("xz", "0.1.0"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CUDD_DIR");
    if let Err(reason) = provide_cudd() {
        for line in reason.lines() {
            println!("cargo::error={line}");
        }
    }
}

fn provide_cudd() -> Result<(), String> {
    if let Some(dir) = env::var_os("CUDD_DIR").filter(|dir| !dir.is_empty()) {
        return link_installed(Path::new(&dir));
    }
    if pkg_config::Config::new().atleast_version("3.0.0").probe("cudd").is_ok() {
        return Ok(());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let archive = fetch_archive(&out).map_err(|reason| {
        format!(
            "CUDD 3.0.0 is needed and was not found.\n\
             {reason}\n\
             Either let cargo reach its package registry once (cargo fetches {CARRIER} {CARRIER_VERSION}, which \
             carries the CUDD sources),\n\
             or install CUDD 3.0.0 so that `pkg-config cudd` finds it,\n\
             or set CUDD_DIR to a prefix or build tree that contains libcudd."
        )
    })?;
    let sources = unpack(&archive, &out)?;
    compile(&sources)
}

/// Links the library found under `dir`: an installation prefix, or the tree CUDD was built in.
fn link_installed(dir: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={}", dir.display());
    for place in ["lib", "lib64", ".", "cudd/.libs", ".libs"] {
        let place = dir.join(place);
        for (file, kind) in [("libcudd.a", "static"), ("libcudd.so", "dylib"), ("libcudd.dylib", "dylib")] {
            if place.join(file).is_file() {
                println!("cargo::rustc-link-search=native={}", place.display());
                println!("cargo::rustc-link-lib={kind}=cudd");
                link_math();
                return Ok(());
            }
        }
    }
    Err(format!(
        "CUDD_DIR is {}, but there is no libcudd.a or libcudd.so in it, nor in its lib, lib64 or cudd/.libs.\n\
         Point CUDD_DIR to a prefix or build tree of CUDD 3.0.0, or unset it to have CUDD built from source.",
        dir.display()
    ))
}

fn link_math() {
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.split(',').any(|f| f == "unix")) {
        println!("cargo::rustc-link-lib=m");
    }
}

/// Asks cargo for the files of the carrier and returns the archive, checked.
fn fetch_archive(out: &Path) -> Result<PathBuf, String> {
    let manifest =
        write_throw_away_package(&out.join("fetch")).map_err(|e| format!("Writing to OUT_DIR: {e}."))?;
    // What cargo already has is good enough; the registry is asked only for what is missing.
    let metadata = cargo_metadata(&manifest, true).or_else(|_| cargo_metadata(&manifest, false))?;
    let archive = json_strings(&metadata, "\"manifest_path\":\"")
        .filter_map(|path| Some(Path::new(&path).parent()?.join(ARCHIVE)))
        .find(|archive| archive.is_file())
        .ok_or_else(|| format!("The package {CARRIER} {CARRIER_VERSION} came without {ARCHIVE}."))?;
    let bytes = fs::read(&archive).map_err(|e| format!("Reading {}: {e}.", archive.display()))?;
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if sum != ARCHIVE_SHA256 {
        return Err(format!("{} has sha256 {sum}, expected {ARCHIVE_SHA256}.", archive.display()));
    }
    Ok(archive)
}

fn write_throw_away_package(dir: &Path) -> std::io::Result<PathBuf> {
    let package = |dir: &Path, name: &str, version: &str, rest: &str| {
        fs::create_dir_all(dir.join("src"))?;
        fs::write(dir.join("src/lib.rs"), "")?;
        let manifest = dir.join("Cargo.toml");
        let head = format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n");
        fs::write(&manifest, head + rest)?;
        Ok::<_, std::io::Error>(manifest)
    };
    // The empty workspace table keeps cargo from taking this for a stray member of an enclosing workspace.
    let mut rest = format!(
        "publish = false\n\n[workspace]\n\n[dependencies]\n{CARRIER} = \"={CARRIER_VERSION}\"\n\n[patch.crates-io]\n"
    );
    for (name, version) in STAND_INS {
        package(&dir.join(name), name, version, "")?;
        rest += &format!("{name} = {{ path = \"{name}\" }}\n");
    }
    package(dir, "obtain-cudd", "0.0.0", &rest)
}

fn cargo_metadata(manifest: &Path, offline: bool) -> Result<String, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--manifest-path"]).arg(manifest);
    if offline {
        command.arg("--offline");
    }
    let output = command.output().map_err(|e| format!("Running cargo: {e}."))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("cargo could not provide {CARRIER} {CARRIER_VERSION}:\n{}", said.trim()))
    }
}

/// The JSON strings that follow each occurrence of `key`; enough JSON for paths.
fn json_strings<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = String> + 'a {
    text.split(key).skip(1).map(|rest| {
        let mut value = String::new();
        let mut characters = rest.chars();
        while let Some(c) = characters.next() {
            match c {
                '"' => break,
                '\\' => value.extend(characters.next()),
                c => value.push(c),
            }
        }
        value
    })
}

/// Unpacks the C sources and returns their root.
fn unpack(archive: &Path, out: &Path) -> Result<PathBuf, String> {
    let fail = |e: std::io::Error| format!("Unpacking {}: {e}.", archive.display());
    let root = out.join("cudd-3.0.0");
    if root.exists() {
        fs::remove_dir_all(&root).map_err(fail)?;
    }
    let file = fs::File::open(archive).map_err(fail)?;
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(out).map_err(fail)?;
    fs::write(root.join("config.h"), config_header()).map_err(fail)?;
    Ok(root)
}

/// Stands in for what CUDD's configure script would find out on the target.
fn config_header() -> String {
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let pointer = if target("POINTER_WIDTH") == "64" { 8 } else { 4 };
    let unix = target("FAMILY").split(',').any(|family| family == "unix");
    let long = if unix { pointer } else { 4 };
    let mut header = format!(
        "#define SIZEOF_INT 4\n#define SIZEOF_LONG {long}\n#define SIZEOF_VOID_P {pointer}\n\
         #define SIZEOF_LONG_DOUBLE 16\n#define PACKAGE_VERSION \"3.0.0\"\n"
    );
    let mut have = vec![
        "ASSERT_H",
        "FLOAT_H",
        "IEEE_754",
        "INTTYPES_H",
        "LIMITS_H",
        "MATH_H",
        "POW",
        "POWL",
        "PTRDIFF_T",
        "SQRT",
        "STDDEF_H",
        "STDINT_H",
        "STDLIB_H",
        "STRCHR",
        "STRING_H",
        "STRSTR",
    ];
    if unix {
        have.extend([
            "GETHOSTNAME",
            "GETRLIMIT",
            "GETRUSAGE",
            "STRINGS_H",
            "SYSCONF",
            "SYS_RESOURCE_H",
            "SYS_STAT_H",
            "SYS_TIMES_H",
            "SYS_TIME_H",
            "SYS_TYPES_H",
            "SYS_WAIT_H",
            "UNISTD_H",
        ]);
    }
    for what in have {
        header += &format!("#define HAVE_{what} 1\n");
    }
    header
}

fn compile(root: &Path) -> Result<(), String> {
    let mut build = cc::Build::new();
    // Optimized in every profile: a debug build of ours must not mean a slow CUDD. Assertions would abort.
    build
        .opt_level(3)
        .warnings(false)
        .extra_warnings(false)
        .define("NDEBUG", None)
        .define("HAVE_CONFIG_H", None);
    build.include(root);
    for part in ["cudd", "epd", "mtr", "st", "util"] {
        build.include(root.join(part));
        let mut files: Vec<PathBuf> = fs::read_dir(root.join(part))
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
            .map_err(|e| format!("Listing the sources of CUDD: {e}."))?;
        files.retain(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".c") && !name.starts_with("test")
        });
        files.sort();
        build.files(files);
    }
    build.try_compile("cudd").map_err(|e| {
        format!(
            "Compiling CUDD failed; a C compiler is needed (CC names it), or a built CUDD in CUDD_DIR.\n{e}"
        )
    })?;
    link_math();
    Ok(())
}
