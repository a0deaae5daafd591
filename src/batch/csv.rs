//! Comma-separated values, as RFC 4180 has them: fields with commas, quotes or line breaks stand in quotes.
//!
//! A spreadsheet takes a field that begins like a formula for one, wherever it comes from. Such a field begins with an
//! apostrophe in the file, which is taken away when it is read.

/// One line.
pub fn line(fields: &[String]) -> String {
    let quoted = fields.iter().map(|field| {
        let field = if is_formula(field) { format!("'{field}") } else { field.clone() };
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

/// Whether a field begins a formula behind any number of apostrophes, so that each guard can be taken away again.
fn is_formula(field: &str) -> bool {
    field.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// A field as it was before it was guarded.
fn unguarded(field: String) -> String {
    match field.strip_prefix('\'') {
        Some(formula) if is_formula(formula) => formula.to_string(),
        _ => field,
    }
}

/// The lines of a text, each with its number and its fields; or the number of the line that is broken.
pub fn read(text: &str) -> Result<Vec<(usize, Vec<String>)>, usize> {
    let mut out = Vec::new();
    let (mut fields, mut field) = (Vec::new(), String::new());
    let (mut number, mut begun, mut quoted) = (1, 1, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        number += usize::from(c == '\n');
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => field.extend(rest.next()),
            '"' if quoted => {
                quoted = false;
                if !matches!(rest.peek(), None | Some(',' | '\n' | '\r')) {
                    return Err(begun);
                }
            }
            _ if quoted => field.push(c),
            '"' if field.is_empty() => quoted = true,
            ',' => fields.push(unguarded(std::mem::take(&mut field))),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' => {
                fields.push(unguarded(std::mem::take(&mut field)));
                out.push((begun, std::mem::take(&mut fields)));
                begun = number;
            }
            c => field.push(c),
        }
    }
    if quoted {
        return Err(begun);
    }
    if !field.is_empty() || !fields.is_empty() {
        fields.push(unguarded(field));
        out.push((begun, fields));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_read_back() {
        let fields = ["=1+1", "+1", "-x", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-1", "'quoted'", "'", "a=b"];
        let row = fields.map(String::from).to_vec();
        let text = line(&row);
        assert!(
            text.starts_with("'=1+1,'+1,'-x,'@SUM(A1),'\t=1,\"'\r=1\",''=1,'''-1,'quoted',',a=b"),
            "{text}"
        );
        assert_eq!(read(&text).unwrap(), [(1, row)]);
    }

    #[test]
    fn what_is_written_is_read() {
        let rows = [["a,b", "say \"hi\"", ""], ["two\nlines", "x", " y "]];
        let rows = rows.map(|row| row.map(String::from).to_vec());
        let text = rows.iter().map(|row| line(row)).collect::<String>();
        assert_eq!(read(&text).unwrap(), [(1, rows[0].clone()), (2, rows[1].clone())]);
        assert_eq!(read("a,b\r\nc").unwrap(), [(1, vec!["a".into(), "b".into()]), (2, vec!["c".into()])]);
        assert_eq!(read("a\n\"b"), Err(2));
        assert_eq!(read("\"a\"b\n"), Err(1));
    }
}
