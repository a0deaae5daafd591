//! Explicit interpreter.
