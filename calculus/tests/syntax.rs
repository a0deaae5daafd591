use calculus::syntax::{ast::FileId, parse};

#[test]
fn try_it() {
    for text in [
        include_str!("syntax/tour.fp"),
        include_str!("syntax/summary.fp"),
        include_str!("syntax/interfaces.fp"),
    ] {
        let mut sources = calculus::diagnostic::Sources::default();
        sources.add("x.fp", text);
        match parse(FileId(0), text) {
            Ok(file) => println!("{} items", file.items.len()),
            Err(mistakes) => {
                for m in mistakes {
                    println!("{m:?} {}", &text[m.labels[0].0.start as usize..][..20]);
                }
                panic!()
            }
        }
    }
}
