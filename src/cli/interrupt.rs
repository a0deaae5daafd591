//! Ctrl-C: the first one asks the solver to give up, the second one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The usual code of a process that was interrupted.
const INTERRUPTED: i32 = 130;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that an interruption sets; from now on the first interruption does nothing else.
pub fn install() -> Arc<AtomicBool> {
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let set = flag.clone();
        // Without a handler an interruption ends the process, which is no worse.
        let _ = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::SeqCst) {
                super::progress::erase();
                std::process::exit(INTERRUPTED);
            }
        });
        flag
    });
    flag.clone()
}
