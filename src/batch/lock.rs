//! Only one batch at a time writes a file of results.
//!
//! The lock is the system's: it ends with the process that has it, however that ends. It is on a file beside the results, since those are
//! replaced as a whole each time they are written.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The right to write a file of results, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Nothing where the file system knows no locks.
    file: Option<File>,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum Refused {
    /// Another process has it.
    Taken,
    Failed(io::Error),
}

impl Lock {
    /// Takes the lock of a file of results.
    pub fn take(results: &Path) -> Result<Lock, Refused> {
        let mut path = results.to_path_buf().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        loop {
            let file = File::create(&path).map_err(Refused::Failed)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Lock { path, file: Some(file) }),
                // Whoever had it before has removed it since it was opened here.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Refused::Taken),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Lock { path, file: None });
                }
                Err(TryLockError::Error(error)) => return Err(Refused::Failed(error)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays behind keeps nobody out. Where it cannot be told from a newer one it has to stay.
        if cfg!(unix) && self.file.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether the open file is the one at the path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: &fs::Metadata| (data.dev(), data.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(one), Ok(two)) if identity(&one) == identity(&two))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_keeps_others_out_until_it_is_dropped() {
        let folder = std::env::temp_dir().join(format!("fpsolve-lock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let results = folder.join("rows.csv");
        let lock = Lock::take(&results).unwrap();
        assert!(matches!(Lock::take(&results), Err(Refused::Taken)));
        drop(lock);
        // What a killed batch leaves behind is only a file.
        fs::write(folder.join("rows.csv.lock"), "").unwrap();
        drop(Lock::take(&results).unwrap());
        assert!(matches!(Lock::take(&folder.join("nowhere/rows.csv")), Err(Refused::Failed(_))));
        fs::remove_dir_all(&folder).unwrap();
    }
}
