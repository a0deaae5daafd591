//! Columns of text, aligned; cells that are too wide go on in further lines.

use calculus::visible::stand_in;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Between two columns.
const GAP: usize = 2;
/// No column is made narrower than this to make a table fit; one of short words may be half of it.
const NARROWEST: usize = 16;

/// Lays out rows of cells, each line indented. Every row has a cell for each column.
pub fn table(rows: &[Vec<String>], align: &[Align], indent: usize, width: usize) -> String {
    let mut widths = vec![0; align.len()];
    for row in rows {
        for (cell, widest) in row.iter().zip(&mut widths) {
            *widest = (*widest).max(cell.chars().count());
        }
    }
    let room = width.saturating_sub(indent + GAP * align.len().saturating_sub(1));
    let longest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.flat_map(|cell| cell.split(' ')).map(|word| word.chars().count()).max().unwrap_or(0)
    };
    let floors = (0..align.len()).map(|column| longest(column).clamp(NARROWEST / 2, NARROWEST));
    shrink(&mut widths, &floors.collect::<Vec<_>>(), room);
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| wrap(cell, *width)).collect::<Vec<_>>();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let mut text = " ".repeat(indent);
            for (column, lines) in cells.iter().enumerate() {
                let part = lines.get(line).map_or("", String::as_str);
                let blanks = " ".repeat(widths[column].saturating_sub(part.chars().count()));
                match align[column] {
                    Align::Left => text.extend([part, &blanks]),
                    Align::Right => text.extend([&blanks, part]),
                }
                text.push_str(&" ".repeat(GAP));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }
    out
}

/// Takes from the widest columns until all fit, if that is possible.
fn shrink(widths: &mut [usize], floors: &[usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let wide = widths.iter_mut().zip(floors).filter(|(width, floor)| **width > **floor);
        let Some((widest, _)) = wide.max_by_key(|(width, _)| **width) else { return };
        *widest -= 1;
    }
}

/// Cuts a text into lines, behind blanks where there are some.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    // A name may have line breaks of its own: they are shown, not made.
    let one_line = |c: char| if matches!(c, '\n' | '\r') { stand_in(c).unwrap_or(c) } else { c };
    let mut rest = text.chars().map(one_line).collect::<Vec<_>>();
    while rest.len() > width {
        // A blank right behind the line ends it as well.
        let cut =
            rest[..=width].iter().rposition(|&c| c == ' ').filter(|&at| at > 0).map_or(width, |at| at + 1);
        let tail = rest.split_off(cut);
        lines.push(rest.iter().collect::<String>().trim_end().to_string());
        rest = tail;
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(rest.into_iter().collect());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_cells_go_on_below() {
        let row = |cells: [&str; 2]| cells.map(String::from).to_vec();
        let rows = [row(["n", "value"]), row(["12", "{first = true, second = false, third = true}"])];
        let text = table(&rows, &[Align::Right, Align::Left], 2, 30);
        assert_eq!(text, "   n  value\n  12  {first = true, second =\n      false, third = true}\n");
    }

    #[test]
    fn words_and_numbers_stay_whole_in_narrow_tables() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let rows = [row(["folder", "not proved", "out of resources"]), row(["a", "7", "1234567890"])];
        let text = table(&rows, &[Align::Left, Align::Right, Align::Right], 0, 28);
        assert_eq!(
            text,
            "folder       not      out of\n          proved   resources\na              7  1234567890\n"
        );
    }

    #[test]
    fn lines_break_at_blanks_or_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
    }
}
