use super::ast::{File, FileId};
use crate::diagnostic::Diagnostic;
pub fn parse(_id: FileId, _text: &str) -> Result<File, Vec<Diagnostic>> { Err(Vec::new()) }
