//! The paths to other modules that a Rust file mentions, in `use` lines and everywhere else.

/// A path from the root of a crate, and the line where it is mentioned.
#[derive(Debug, PartialEq, Eq)]
pub struct Mention {
    pub line: usize,
    /// The crate, then modules and names: `["calculus", "bdd", "Limits"]`.
    pub path: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Colons,
    /// Any other character.
    Sign(char),
}

/// The mentions in a text. `module` is the path of the file's own module, with its crate; `crates` are the crates of the
/// workspace that paths may begin with.
pub fn mentions(text: &str, module: &[&str], crates: &[&str]) -> Vec<Mention> {
    let tokens = tokens(text);
    let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let children = children(&tokens);
    // The module in which we are, with how many brackets were open where it began.
    let mut inside = vec![(owned(module), 0)];
    let (mut depth, mut at, mut out) = (0, 0, Vec::new());
    while at < tokens.len() {
        let (token, line) = &tokens[at];
        let continued = at > 0 && matches!(tokens[at - 1].0, Token::Colons | Token::Sign('.'));
        let here = inside.last().expect("the file's own module stays").0.clone();
        let follows = tokens.get(at + 1).map(|(token, _)| token);
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => {
                depth -= 1;
                if inside.len() > 1 && inside.last().is_some_and(|(_, began)| *began == depth) {
                    inside.pop();
                }
            }
            Token::Word(word) if word == "mod" => {
                if let (Some(Token::Word(name)), Some((Token::Sign('{'), _))) = (follows, tokens.get(at + 2))
                {
                    let module = [here, vec![name.clone()]].concat();
                    inside.push((module, depth));
                }
            }
            Token::Word(word) if follows == Some(&Token::Colons) && !continued => {
                let base = match word.as_str() {
                    "crate" => Some(here[..1].to_vec()),
                    "self" => Some(here),
                    "super" => Some(here[..here.len() - 1].to_vec()),
                    name if crates.contains(&name) => Some(vec![name.to_string()]),
                    name if children.contains(&name) => Some([here, vec![name.to_string()]].concat()),
                    _ => None,
                };
                if let Some(base) = base {
                    at = branches(&tokens, at + 2, base, &mut |path| out.push(Mention { line: *line, path }));
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    out
}

/// Follows a path, and all its branches if it has brackets; returns where it ends.
fn branches(
    tokens: &[(Token, usize)],
    mut at: usize,
    mut path: Vec<String>,
    tell: &mut impl FnMut(Vec<String>),
) -> usize {
    loop {
        match tokens.get(at).map(|(token, _)| token) {
            Some(Token::Word(word)) if word == "super" => drop(path.pop()),
            Some(Token::Word(word)) if word == "self" => {}
            Some(Token::Word(word)) => path.push(word.clone()),
            Some(Token::Sign('{')) => {
                at += 1;
                loop {
                    match tokens.get(at) {
                        None | Some((Token::Sign('}'), _)) => return at + 1,
                        Some((Token::Word(_) | Token::Sign('{'), _)) => {
                            at = branches(tokens, at, path.clone(), tell);
                        }
                        Some(_) => at += 1,
                    }
                }
            }
            _ => {
                tell(path);
                return at;
            }
        }
        at += 1;
        if tokens.get(at).map(|(token, _)| token) != Some(&Token::Colons) {
            tell(path);
            let renamed = tokens.get(at).is_some_and(|(token, _)| *token == Token::Word("as".into()));
            return if renamed { at + 2 } else { at };
        }
        at += 1;
    }
}

/// The modules that a file declares: `mod NAME;`.
fn children(tokens: &[(Token, usize)]) -> Vec<&str> {
    let declared = tokens.windows(3).filter_map(|window| match [&window[0].0, &window[1].0, &window[2].0] {
        [Token::Word(word), Token::Word(name), Token::Sign(';')] if word == "mod" => Some(name.as_str()),
        _ => None,
    });
    declared.collect()
}

/// Words and signs with their lines, without comments, texts and characters.
fn tokens(text: &str) -> Vec<(Token, usize)> {
    let chars = text.chars().collect::<Vec<_>>();
    let (mut at, mut line, mut out) = (0, 1, Vec::new());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while at < chars.len() {
        let begin = at;
        let here = line;
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('/')) => at = end(&chars, at, |rest| rest[0] == '\n'),
            ('/', Some('*')) => at = end(&chars, at, |rest| rest.starts_with(&['*', '/'])) + 2,
            ('"', _) => at = end_of_text(&chars, at + 1),
            ('r', Some('"' | '#')) if at == 0 || !is_word(chars[at - 1]) => {
                let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
                let closing = [vec!['"'], vec!['#'; hashes]].concat();
                at = end(&chars, at + hashes + 2, |rest| rest.starts_with(&closing)) + closing.len();
            }
            // A character, and not a lifetime.
            ('\'', Some('\\')) => at = end(&chars, at + 3, |rest| rest[0] == '\'') + 1,
            ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => at += 3,
            (':', Some(':')) => {
                out.push((Token::Colons, here));
                at += 2;
            }
            (c, _) if is_word(c) => {
                at = end(&chars, at, |rest| !is_word(rest[0]));
                out.push((Token::Word(chars[begin..at].iter().collect()), here));
            }
            (c, _) => {
                if !c.is_whitespace() {
                    out.push((Token::Sign(c), here));
                }
                at += 1;
            }
        }
        at = at.min(chars.len());
        line += chars[begin..at].iter().filter(|c| **c == '\n').count();
    }
    out
}

/// The first place from `at` on whose rest is as asked for.
fn end(chars: &[char], at: usize, found: impl Fn(&[char]) -> bool) -> usize {
    (at..chars.len()).find(|at| found(&chars[*at..])).unwrap_or(chars.len())
}

fn end_of_text(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}
