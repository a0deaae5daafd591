//! The bundled libraries, for the examples that use them.

use std::path::Path;

/// The file below `algorithms/` that `use "path"` means.
pub fn library(_: &str, path: &str) -> Result<(String, String), String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../algorithms").join(path);
    std::fs::read_to_string(file).map(|text| (path.to_string(), text)).map_err(|why| why.to_string())
}
