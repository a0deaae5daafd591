//! No comment is ever lost, wherever it stands.

use crate::trees::{self, Shown};
use crate::{SAMPLES, accept, the_same_each_time};
use calculus::syntax::ast::File;
use calculus::syntax::{print, same};
use proptest::prelude::*;

fn sorted_comments(file: &File) -> Vec<String> {
    let mut texts: Vec<_> = file.comments.iter().map(|comment| comment.text.clone()).collect();
    texts.sort();
    texts
}

/// Formats the text twice; returns why that lost something.
fn lossless(text: &str) -> Result<(), String> {
    let file = accept(text);
    let formatted = print(&file, text);
    let again = accept(&formatted);
    if !same(&file, &again) {
        return Err(format!("another tree:\n{text}\n----\n{formatted}"));
    }
    if sorted_comments(&file) != sorted_comments(&again) {
        return Err(format!("other comments:\n{text}\n----\n{formatted}"));
    }
    let twice = print(&again, &formatted);
    if twice != formatted {
        return Err(format!("not idempotent:\n{text}\n----\n{formatted}\n----\n{twice}"));
    }
    Ok(())
}

/// Puts comments where there are blanks or a line's end, as `choose` says, but not into texts and comments.
fn sprinkled(text: &str, mut choose: impl FnMut() -> u8) -> String {
    let (mut out, mut quoted, mut comment) = (String::new(), false, false);
    let mut count = 0;
    let mut previous = ' ';
    for c in text.chars() {
        let first_blank = c.is_whitespace() && !previous.is_whitespace();
        quoted ^= c == '"' && previous != '\\' && !comment;
        comment = (comment || (c == '/' && previous == '/' && !quoted)) && c != '\n';
        previous = if previous == '\\' && c == '\\' { ' ' } else { c };
        if first_blank && !quoted && !comment {
            count += 1;
            match choose() {
                0 => out.push_str(&format!(" // trailing {count}\n")),
                1 => out.push_str(&format!("\n\n   // own line {count}\n")),
                2 => out.push_str(&format!(" // two {count}\n // lines {count}\n")),
                3 => out.push('\n'),
                _ => out.push(c),
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A name that begins items stood at the start of a line before `else`, and the item was cut there.
#[test]
fn repro_a_condition_that_ends_with_a_word_for_items() {
    let text = "mu if i > 0 &\ninput else nu R[i in 1..2](x: bool) = x;\n";
    assert_eq!(lossless(text), Ok(()));
}

#[test]
fn comments_at_every_blank_survive() {
    for text in SAMPLES {
        let mut places = 0;
        sprinkled(text, || {
            places += 1;
            9
        });
        for place in 1..=places {
            let mut at = 0;
            let commented = sprinkled(text, || {
                at += 1;
                if at == place { (place % 3) as u8 } else { 9 }
            });
            lossless(&commented).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}

proptest! {
    #![proptest_config(the_same_each_time(500))]

    #[test]
    fn comments_of_random_files_survive(Shown(file) in trees::file(), choices in prop::collection::vec(0..14u8, 200)) {
        let mut choices = choices.into_iter().cycle();
        let text = sprinkled(&print(&file, ""), || choices.next().unwrap_or(9));
        prop_assert_eq!(lossless(&text), Ok(()));
    }
}
