//! The `fpsolve` command.

fn main() -> std::process::ExitCode {
    fpsolve::cli::main()
}
