use calculus::syntax::{ast::FileId, parse, print, same};

#[test]
fn try_it() {
    for text in [
        include_str!("syntax/tour.fp"),
        include_str!("syntax/summary.fp"),
        include_str!("syntax/interfaces.fp"),
    ] {
        match parse(FileId(0), text) {
            Ok(file) => {
                let once = print(&file, text);
                println!("{once}");
                let again = parse(FileId(0), &once).unwrap();
                assert!(same(&file, &again));
                let twice = print(&again, &once);
                assert_eq!(once, twice);
            }
            Err(mistakes) => {
                for m in mistakes {
                    println!("{m:?} {}", &text[m.labels[0].0.start as usize..][..20]);
                }
                panic!()
            }
        }
    }
}
