//! Programs of some threads, each of which runs once, without calls.
use program;

require program.replicated = 0 "a replicated thread has any number of copies, and this file needs a fixed number of threads: views.fp and adequacy.fp look for errors among any number";
require program.recursive = 0 "the program is recursive: use lazy_cba.fp";
require program.calls = 0 | program.recursive = 1 "{program.calls} calls are left: inline them with --inline always, or use lazy_cba.fp";

const n = program.threads;
