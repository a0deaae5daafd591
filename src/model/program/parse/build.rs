//! Parse tree to syntax tree.

use super::{Node, Rule};
use crate::model::program::ast::*;
use crate::model::program::resolve::domain::LARGEST;
use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Span};

struct TreeBuilder {
    id: FileId,
    file: File,
    problems: Vec<Diagnostic>,
}

pub fn file(id: FileId, root: Node) -> Result<File, Vec<Diagnostic>> {
    let mut builder = TreeBuilder { id, file: File::default(), problems: Vec::new() };
    for item in inner(root) {
        match item.as_rule() {
            Rule::declaration => {
                let declarations = builder.declaration(item);
                builder.file.shared.extend(declarations);
            }
            Rule::procedure => {
                builder.procedure(item, None);
            }
            Rule::init_block => builder.init_block(item),
            Rule::thread_block => builder.thread_block(item),
            _ => {}
        }
    }
    if builder.problems.is_empty() { Ok(builder.file) } else { Err(builder.problems) }
}

/// The parts of a node that mean something: signs are only there for error messages.
fn inner<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    node.into_inner().filter(|part| {
        !matches!(
            part.as_rule(),
            Rule::semicolon
                | Rule::comma
                | Rule::colon
                | Rule::becomes
                | Rule::open
                | Rule::close
                | Rule::open_bracket
                | Rule::close_bracket
                | Rule::open_brace
                | Rule::close_brace
                | Rule::dots
        )
    })
}

/// Numbers a statement before those inside it, so that numbers follow the text.
fn reserve(procedure: &mut Procedure, span: Span) -> StatementId {
    procedure.statements.push(Statement { labels: Vec::new(), form: Form::Skip, span });
    StatementId(procedure.statements.len() as u32 - 1)
}

impl TreeBuilder {
    fn span(&self, node: &Node) -> Span {
        let place = node.as_span();
        Span::new(self.id, place.start(), place.end())
    }

    fn name(&self, node: Node) -> Name {
        Name { span: self.span(&node), text: node.as_str().to_string() }
    }

    fn names(&self, node: Node) -> Vec<Name> {
        inner(node).filter(|node| node.as_rule() == Rule::name).map(|node| self.name(node)).collect()
    }

    /// A label in `goto L`, or before a statement: a name or a number without leading zeros.
    fn place(&self, node: Node) -> Name {
        let mut label = self.name(inner(node).next().expect("the grammar wants a name of a place"));
        if label.text.starts_with('0') {
            let digits = label.text.trim_start_matches('0');
            label.text = if digits.is_empty() { "0".to_string() } else { digits.to_string() };
        }
        label
    }

    fn declaration(&mut self, node: Node) -> Vec<Declaration> {
        let declared = inner(node).filter(|node| matches!(node.as_rule(), Rule::declarator | Rule::typed));
        declared.flat_map(|node| self.declarators(node)).collect()
    }

    /// One name, or several with the same domain.
    fn declarators(&mut self, node: Node) -> Vec<Declaration> {
        let (mut names, mut domain, mut initial) = (Vec::new(), None, None);
        for part in inner(node) {
            match part.as_rule() {
                Rule::names => names = self.names(part),
                Rule::domain => domain = Some(self.domain(part)),
                Rule::name if names.is_empty() => names.push(self.name(part)),
                Rule::nondet => {}
                _ => initial = Some(FirstValue { span: self.span(&part), text: part.as_str().to_string() }),
            }
        }
        let declare = |name| Declaration { name, domain: domain.clone(), initial: initial.clone() };
        names.into_iter().map(declare).collect()
    }

    fn parameter(&mut self, node: Node) -> Declaration {
        let mut parts = inner(node);
        let name = self.name(parts.next().expect("the grammar wants a name of a parameter"));
        Declaration { name, domain: parts.next().map(|domain| self.domain(domain)), initial: None }
    }

    fn domain(&mut self, node: Node) -> Domain {
        self.file.features.domains = true;
        let span = self.span(&node);
        let form = inner(node).next().expect("the grammar wants a range or names");
        let form = match form.as_rule() {
            Rule::enumeration => DomainForm::Names(self.names(form)),
            _ => {
                let wraps = inner(form.clone()).any(|part| part.as_rule() == Rule::kw_mod);
                let mut bounds = inner(form).map(|part| self.number(&part));
                let mut bound = || bounds.next().expect("the grammar wants two bounds");
                DomainForm::Range { low: bound(), high: bound(), wraps }
            }
        };
        Domain { form, span }
    }

    /// The domains of the results; truth values have none.
    fn results(&mut self, kind: Node) -> Vec<Option<Domain>> {
        let written = kind.as_str();
        if written.starts_with("void") {
            return Vec::new();
        }
        let (mut results, mut count) = (Vec::new(), 1);
        for part in inner(kind) {
            match part.as_rule() {
                Rule::number => count = self.count(&part),
                Rule::domain => return vec![Some(self.domain(part))],
                Rule::result => {
                    let domain = inner(part).find(|node| node.as_rule() == Rule::domain);
                    results.push(domain.map(|domain| self.domain(domain)));
                }
                _ => {}
            }
        }
        if results.is_empty() { vec![None; count as usize] } else { results }
    }

    fn number(&mut self, node: &Node) -> i64 {
        match node.as_str().parse::<i64>() {
            Ok(number) if i128::from(number).abs() <= LARGEST => number,
            _ => {
                let problem = Diagnostic::error("bp::number", format!("`{}` is too large", node.as_str()))
                    .label(self.span(node), format!("at most {LARGEST}"));
                self.problems.push(problem);
                0
            }
        }
    }

    fn count(&mut self, node: &Node) -> u32 {
        match node.as_str().parse::<u32>() {
            Ok(n) if n <= 1_000 => n,
            _ => {
                let problem = Diagnostic::error("bp::number", format!("`{}` is too large", node.as_str()))
                    .label(self.span(node), "at most 1000");
                self.problems.push(problem);
                1
            }
        }
    }

    fn procedure(&mut self, node: Node, thread: Option<usize>) -> usize {
        let whole = self.span(&node);
        let mut procedure =
            self.empty(ProcedureKind::Procedure, Name { text: String::new(), span: whole }, thread, whole);
        for part in inner(node) {
            match part.as_rule() {
                Rule::kind => procedure.results = self.results(part),
                Rule::name => procedure.name = self.name(part),
                Rule::parameters => {
                    procedure.parameters = inner(part).map(|part| self.parameter(part)).collect();
                }
                _ => self.body_part(&mut procedure, part),
            }
        }
        self.file.procedures.push(procedure);
        self.file.procedures.len() - 1
    }

    fn init_block(&mut self, node: Node) {
        self.file.features.init_block = true;
        let whole = self.span(&node);
        let head = Span { end: whole.start + 4, ..whole };
        let mut procedure =
            self.empty(ProcedureKind::InitBlock, Name { text: "init".to_string(), span: head }, None, whole);
        for part in inner(node) {
            self.body_part(&mut procedure, part);
        }
        self.file.procedures.push(procedure);
    }

    fn thread_block(&mut self, node: Node) {
        self.file.features.thread_blocks = true;
        let whole = self.span(&node);
        let index = self.file.threads.len();
        let unnamed = Name { text: String::new(), span: whole };
        let thread = Thread {
            name: unnamed.clone(),
            copies: Copies::Fixed(1),
            own: Vec::new(),
            procedures: Vec::new(),
            body: 0,
        };
        self.file.threads.push(thread);
        let mut body = self.empty(ProcedureKind::ThreadBlock, unnamed, Some(index), whole);
        for part in inner(node) {
            match part.as_rule() {
                Rule::name => {
                    body.name = self.name(part);
                    self.file.threads[index].name = body.name.clone();
                }
                Rule::copies => {
                    let number = inner(part).next();
                    self.file.threads[index].copies =
                        number.map_or(Copies::Any, |number| Copies::Fixed(self.count(&number)));
                }
                Rule::declaration => {
                    let own = self.declaration(part);
                    self.file.threads[index].own.extend(own);
                }
                Rule::procedure => {
                    let procedure = self.procedure(part, Some(index));
                    self.file.threads[index].procedures.push(procedure);
                }
                _ => self.body_part(&mut body, part),
            }
        }
        self.file.threads[index].body = self.file.procedures.len();
        self.file.procedures.push(body);
    }

    fn empty(&self, kind: ProcedureKind, name: Name, thread: Option<usize>, span: Span) -> Procedure {
        let (results, parameters, locals, statements, body) = Default::default();
        Procedure { kind, name, thread, results, parameters, locals, enforce: None, statements, body, span }
    }

    fn body_part(&mut self, procedure: &mut Procedure, part: Node) {
        match part.as_rule() {
            Rule::declaration => procedure.locals.extend(self.declaration(part)),
            Rule::enforce => {
                procedure.enforce =
                    Some(self.expression(
                        inner(part).nth(1).expect("the grammar wants an expression behind enforce"),
                    ))
            }
            Rule::statements => procedure.body = self.block(procedure, part),
            _ => {}
        }
    }

    fn block(&mut self, procedure: &mut Procedure, node: Node) -> Block {
        inner(node).map(|node| self.statement(procedure, node)).collect()
    }

    fn statement(&mut self, procedure: &mut Procedure, node: Node) -> StatementId {
        let mut whole = self.span(&node);
        let mut labels = Vec::new();
        let mut form = Form::Skip;
        let id = reserve(procedure, whole);
        for part in inner(node) {
            if part.as_rule() == Rule::label {
                whole = self.span(&part);
                let label = self.place(part);
                self.file.features.end_init |= label.text == "endinit";
                self.file.features.satabs |= label.text.starts_with(|c: char| c.is_ascii_digit());
                labels.push(label);
            } else {
                whole = self.span(&part);
                form = self.form(procedure, part);
            }
        }
        let spawns = labels.iter().find(|label| label.text.starts_with("ASYNC_"));
        if let (Some(_), Form::Call { targets, .. }) = (spawns, &form)
            && targets.is_empty()
            && let Form::Call { callee, arguments, .. } = form
        {
            self.file.features.satabs = true;
            form = Form::StartCall { callee, arguments };
        }
        procedure.statements[id.0 as usize] = Statement { labels, form, span: whole };
        id
    }

    fn form(&mut self, procedure: &mut Procedure, node: Node) -> Form {
        let rule = node.as_rule();
        match rule {
            Rule::return_form => Form::Return(self.expressions_in(node)),
            Rule::goto_form => {
                let places = inner(node).filter(|n| n.as_rule() == Rule::place);
                Form::Goto(places.map(|node| self.place(node)).collect())
            }
            Rule::assume_form => Form::Assume(self.only(node)),
            Rule::assert_form => Form::Assert(self.only(node)),
            Rule::constrain_form => Form::Constrain(self.only(node)),
            Rule::abort_form => Form::AbortIf(self.only(node)),
            Rule::dead_form => Form::Dead(self.names(node)),
            Rule::print_form => Form::Print(self.expressions_in(node)),
            Rule::sync_form => Form::Sync(self.names(node).remove(0)),
            Rule::atomic_begin => self.satabs(Form::AtomicBegin),
            Rule::atomic_end => self.satabs(Form::AtomicEnd),
            Rule::end_thread => self.satabs(Form::EndThread),
            Rule::start_form => {
                let target = inner(node).last().expect("the grammar wants something to start");
                let form = if target.as_rule() == Rule::place {
                    Form::StartGoto(self.place(target))
                } else {
                    let (callee, arguments) = self.call(target);
                    Form::StartCall { callee, arguments }
                };
                self.satabs(form)
            }
            Rule::call => {
                let (callee, arguments) = self.call(node);
                Form::Call { callee, arguments, targets: Vec::new() }
            }
            Rule::assignment => self.assignment(node),
            Rule::if_form => self.conditional(procedure, node),
            Rule::while_form => {
                let mut parts =
                    inner(node).filter(|n| matches!(n.as_rule(), Rule::expression | Rule::statements));
                let condition = self.expression(parts.next().expect("the grammar wants a condition"));
                let body = self.block(procedure, parts.next().expect("the grammar wants a body"));
                Form::While { condition, body }
            }
            _ => Form::Skip,
        }
    }

    fn satabs(&mut self, form: Form) -> Form {
        self.file.features.satabs = true;
        form
    }

    fn assignment(&mut self, node: Node) -> Form {
        let mut targets = Vec::new();
        let mut values = Vec::new();
        let mut constrain = None;
        for part in inner(node) {
            match part.as_rule() {
                Rule::names => targets = self.names(part),
                Rule::expressions => values = self.expressions(part),
                Rule::expression => constrain = Some(self.expression(part)),
                Rule::call => {
                    let (callee, arguments) = self.call(part);
                    return Form::Call { callee, arguments, targets };
                }
                _ => {}
            }
        }
        Form::Assign { targets, values, constrain }
    }

    fn conditional(&mut self, procedure: &mut Procedure, node: Node) -> Form {
        let mut arms: Vec<(Option<StatementId>, Expr, Block)> = Vec::new();
        let mut otherwise = Block::new();
        for part in inner(node) {
            match part.as_rule() {
                Rule::arm => {
                    let id = (!arms.is_empty()).then(|| reserve(procedure, self.span(&part)));
                    let mut parts = inner(part);
                    let condition = self.expression(parts.next().expect("the grammar wants a condition"));
                    let statements = parts
                        .find(|node| node.as_rule() == Rule::statements)
                        .expect("the grammar wants a branch");
                    let then = self.block(procedure, statements);
                    arms.push((id, condition, then));
                }
                Rule::statements => otherwise = self.block(procedure, part),
                _ => {}
            }
        }
        let mut form = Form::Skip;
        for (id, condition, then) in arms.into_iter().rev() {
            form = Form::If { condition, then, otherwise };
            otherwise = Block::new();
            if let Some(id) = id {
                procedure.statements[id.0 as usize].form = std::mem::replace(&mut form, Form::Skip);
                otherwise = vec![id];
            }
        }
        form
    }

    fn call(&mut self, node: Node) -> (Name, Vec<Expr>) {
        let mut parts = inner(node);
        let callee = self.name(parts.next().expect("the grammar wants a callee"));
        (callee, parts.next().map_or_else(Vec::new, |arguments| self.expressions(arguments)))
    }

    fn only(&mut self, node: Node) -> Expr {
        self.expression(inner(node).last().expect("the grammar wants an expression"))
    }

    fn expressions_in(&mut self, node: Node) -> Vec<Expr> {
        let list = inner(node).find(|node| node.as_rule() == Rule::expressions);
        list.map_or_else(Vec::new, |list| self.expressions(list))
    }

    fn expressions(&mut self, node: Node) -> Vec<Expr> {
        inner(node).map(|node| self.expression(node)).collect()
    }

    fn expression(&mut self, node: Node) -> Expr {
        let whole = self.span(&node);
        let mut tokens = Vec::new();
        self.tokens(node, &mut tokens);
        Expr { tokens, span: whole }
    }

    fn tokens(&mut self, node: Node, tokens: &mut Vec<Token>) {
        for part in inner(node) {
            let place = self.span(&part);
            let kind = match part.as_rule() {
                Rule::nondet => TokenKind::Nondet,
                Rule::not => TokenKind::Not,
                Rule::and => TokenKind::Binary(Binary::And),
                Rule::or => TokenKind::Binary(Binary::Or),
                Rule::xor => TokenKind::Binary(Binary::Xor),
                Rule::implies => TokenKind::Binary(Binary::Implies),
                Rule::differ => TokenKind::Binary(Binary::Differ),
                Rule::equal => TokenKind::Binary(Binary::Equal),
                Rule::negative => TokenKind::Negative,
                Rule::less => TokenKind::Binary(Binary::Less),
                Rule::at_most => TokenKind::Binary(Binary::AtMost),
                Rule::greater => TokenKind::Binary(Binary::Greater),
                Rule::at_least => TokenKind::Binary(Binary::AtLeast),
                Rule::plus => TokenKind::Binary(Binary::Plus),
                Rule::minus => TokenKind::Binary(Binary::Minus),
                Rule::times => TokenKind::Binary(Binary::Times),
                Rule::modulo => TokenKind::Binary(Binary::Modulo),
                Rule::number => TokenKind::Number(self.number(&part)),
                Rule::name if matches!(part.as_str(), "T" | "F") => TokenKind::Constant(part.as_str() == "T"),
                Rule::name => TokenKind::Name(part.as_str().to_string()),
                Rule::primed => TokenKind::Primed(
                    inner(part)
                        .next()
                        .expect("the grammar wants a name before the prime")
                        .as_str()
                        .to_string(),
                ),
                Rule::parenthesis => {
                    tokens.push(Token { kind: TokenKind::Open, span: place });
                    for inner in inner(part) {
                        self.tokens(inner, tokens);
                    }
                    TokenKind::Close
                }
                Rule::schoose => {
                    for operand in inner(part).filter(|node| node.as_rule() == Rule::expression) {
                        tokens.push(Token { kind: TokenKind::Open, span: place });
                        self.tokens(operand, tokens);
                        tokens.push(Token { kind: TokenKind::Close, span: place });
                    }
                    TokenKind::Schoose
                }
                _ => continue,
            };
            tokens.push(Token { kind, span: place });
        }
    }
}
