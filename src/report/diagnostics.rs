//! Mistakes and warnings as the text that miette draws.

use super::WIDTH;
use calculus::diagnostic::Diagnostic;
use calculus::span::{Sources, Span};
use miette::{GraphicalReportHandler, GraphicalTheme, MietteHandler, MietteHandlerOpts, ReportHandler};
use std::fmt;

/// For whom they are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// As the terminal behind the standard error likes it: its width, its colours.
    Terminal,
    /// A fixed width, no colours.
    Plain,
}

/// All diagnostics, one after the other.
pub fn diagnostics(sources: &Sources, diagnostics: &[Diagnostic], medium: Medium) -> String {
    diagnostics.iter().map(|diagnostic| format!("{}\n", Drawn { sources, diagnostic, medium })).collect()
}

struct Drawn<'a> {
    sources: &'a Sources,
    diagnostic: &'a Diagnostic,
    medium: Medium,
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The handler draws in a Debug implementation: that is miette's interface.
        struct Via<'a>(&'a dyn ReportHandler, &'a dyn miette::Diagnostic);
        impl fmt::Debug for Via<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.debug(self.1, f)
            }
        }
        let report = self.diagnostic.render(self.sources);
        let text = match self.medium {
            Medium::Terminal => {
                let handler: MietteHandler = MietteHandlerOpts::new().terminal_links(false).build();
                format!("{:?}", Via(&handler, &report))
            }
            Medium::Plain => {
                let theme = GraphicalTheme::unicode_nocolor();
                let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_links(false);
                format!("{:?}", Via(&handler, &report))
            }
        };
        f.write_str(text.trim_end())?;
        f.write_str("\n")
    }
}

/// A place as people count: the file, the line and the column, both from 1, columns in characters.
pub fn place(sources: &Sources, span: Span) -> (&str, usize, usize) {
    let source = sources.get(span.file);
    (&source.name, source.line(span), source.column(span))
}
