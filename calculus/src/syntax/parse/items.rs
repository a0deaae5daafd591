//! Items: what stands between two semicolons.

use super::super::ast::*;
use super::{Builder, Parsed, Rule};
use pest::iterators::Pair;

/// The parts of an item, sorted by what they are; each kind of item takes those its grammar has.
#[derive(Default)]
struct Parts<'i> {
    names: Vec<Ident>,
    texts: Vec<Text>,
    exprs: Vec<Expr>,
    columns: Vec<ColumnDecl>,
    sort: Option<SortExpr>,
    indices: Vec<FamilyIndex>,
    rows: Option<Vec<FactRow>>,
    open_indices: Vec<Ident>,
    fillings: Vec<Filling>,
    bounds: Option<ParamBounds>,
    body: Option<Pair<'i, Rule>>,
    keyed: bool,
    kind: Option<DefKind>,
    alternative: Option<Alternative>,
}

impl Builder {
    pub(super) fn item(&self, pair: Pair<'_, Rule>) -> Parsed<ItemKind> {
        let rule = pair.as_rule();
        let mut parts = self.parts(pair)?;
        // The grammar has seen to it that everything an item cannot do without is there.
        const WHOLE: &str = "the grammar accepts whole items only";
        if rule == Rule::enum_item {
            let name = parts.names.remove(0);
            return Ok(ItemKind::Enum { keyed: parts.keyed, name, values: parts.names });
        }
        if rule == Rule::hint_item {
            let kind = parts.names.remove(0);
            return Ok(ItemKind::Hint { kind, names: parts.names });
        }
        let clauses = match parts.body {
            Some(body) => self.clauses(body)?,
            None => Vec::new(),
        };
        let (name, text, expr) = (parts.names.pop(), parts.texts.pop(), parts.exprs.pop());
        let columns = parts.columns;
        Ok(match rule {
            Rule::use_item => match text {
                Some(path) => ItemKind::UseFile { path, name, fillings: parts.fillings },
                None => ItemKind::UseVocabulary { name: name.expect(WHOLE) },
            },
            Rule::param_item => {
                ItemKind::Param { name: name.expect(WHOLE), bounds: parts.bounds, value: expr.expect(WHOLE) }
            }
            Rule::const_item => ItemKind::Const { name: name.expect(WHOLE), value: expr.expect(WHOLE) },
            Rule::range_item => ItemKind::Range {
                keyed: parts.keyed,
                name: name.expect(WHOLE),
                lo: parts.exprs.pop().expect(WHOLE),
                hi: expr.expect(WHOLE),
            },
            Rule::symbol_item => ItemKind::Symbol { keyed: parts.keyed, name: name.expect(WHOLE) },
            Rule::record_item => ItemKind::Record { name: name.expect(WHOLE), fields: columns },
            Rule::sort_item => match parts.sort {
                Some(sort) => ItemKind::Alias { name: name.expect(WHOLE), sort },
                None => ItemKind::OpenSort { name: name.expect(WHOLE) },
            },
            Rule::rel_item => match parts.rows {
                Some(rows) => ItemKind::Facts { name: name.expect(WHOLE), columns, rows },
                None => {
                    let indices = parts.open_indices;
                    ItemKind::OpenRelation { name: name.expect(WHOLE), indices, columns }
                }
            },
            Rule::input_item => ItemKind::Input { name: name.expect(WHOLE), columns },
            Rule::definition => ItemKind::Definition(Definition {
                kind: parts.kind.expect(WHOLE),
                alternative: parts.alternative,
                name: name.expect(WHOLE),
                indices: parts.indices,
                columns,
                clauses,
            }),
            Rule::query_item => ItemKind::Query { name: name.expect(WHOLE), columns, clauses },
            Rule::trace_item => ItemKind::Trace { name: name.expect(WHOLE), clauses },
            Rule::require_item => {
                ItemKind::Require { condition: expr.expect(WHOLE), message: text.expect(WHOLE) }
            }
            Rule::verdict_item => {
                ItemKind::Verdict { kind: name.expect(WHOLE), message: text, condition: expr }
            }
            rule => unreachable!("{rule:?} is no item"),
        })
    }

    fn parts<'i>(&self, pair: Pair<'i, Rule>) -> Parsed<Parts<'i>> {
        let mut parts = Parts::default();
        if pair.as_rule() == Rule::record_item {
            parts.columns = self.columns(pair.clone().into_inner(), "field")?;
        }
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => parts.names.push(self.name(part)),
                Rule::hint_name => {
                    let span = self.span(&part);
                    let name = part.into_inner().map(|word| word.as_str().trim()).collect::<String>();
                    parts.names.push(Ident { name: name.replace('+', " + ").into(), span });
                }
                Rule::text => parts.texts.push(self.text(&part)),
                Rule::expr | Rule::sum => parts.exprs.push(self.expression(part)?.expr),
                Rule::sort => parts.sort = Some(self.sort(part)?.0),
                Rule::columns => parts.columns = self.columns(part.into_inner(), "column")?,
                Rule::indices => {
                    for index in part.into_inner().filter(|part| part.as_rule() == Rule::family_index) {
                        parts.indices.push(self.family_index(index)?);
                    }
                }
                Rule::rows => {
                    let rows = part.into_inner().filter(|part| part.as_rule() == Rule::row);
                    parts.rows = Some(rows.map(|row| self.row(row)).collect::<Parsed<_>>()?);
                }
                Rule::open_indices => {
                    let names = part.into_inner().filter(|part| part.as_rule() == Rule::name);
                    parts.open_indices = names.map(|name| self.name(name)).collect();
                }
                Rule::filling => parts.fillings.push(self.filling(part)?),
                Rule::bounds => parts.bounds = Some(self.bounds(part)?),
                Rule::body => parts.body = Some(part),
                Rule::kw_keyed => parts.keyed = true,
                Rule::kw_let => parts.kind = Some(DefKind::Let),
                Rule::kind => self.kind(part, &mut parts)?,
                _ => {}
            }
        }
        Ok(parts)
    }

    /// `mu`, or `mu if … else nu`.
    fn kind(&self, pair: Pair<'_, Rule>, parts: &mut Parts) -> Parsed<()> {
        let mut kinds = Vec::new();
        let mut condition = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::kw_mu | Rule::else_mu => kinds.push(DefKind::Mu),
                Rule::kw_nu | Rule::else_nu => kinds.push(DefKind::Nu),
                Rule::expr => condition = Some(self.expression(part)?.expr),
                _ => {}
            }
        }
        let otherwise = kinds.last().copied();
        parts.kind = kinds.first().copied();
        parts.alternative =
            condition.zip(otherwise).map(|(condition, otherwise)| Alternative { condition, otherwise });
        Ok(())
    }

    /// `step = { (x, y) | edge(y, x) }`
    fn filling(&self, pair: Pair<'_, Rule>) -> Parsed<Filling> {
        let (mut name, mut given) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(part)),
                Rule::equals => {}
                Rule::range_sort => {
                    let (sort, span) = (self.sort(part.clone())?.0, self.span(&part));
                    given = Some(Expr { kind: ExprKind::Sort(sort), span });
                }
                _ => given = Some(self.argument(part)?.expr),
            }
        }
        let (name, given) = name.zip(given).expect("the grammar wants `name = argument`");
        Ok(Filling { name, given })
    }

    fn bounds(&self, pair: Pair<'_, Rule>) -> Parsed<ParamBounds> {
        let mut ends = pair.into_inner().filter(|part| part.as_rule() == Rule::sum);
        let lo = ends.next().expect("the grammar wants a lower bound");
        let hi = ends.next().map(|hi| self.expression(hi)).transpose()?;
        Ok(ParamBounds { lo: self.expression(lo)?.expr, hi: hi.map(|hi| hi.expr) })
    }

    fn row(&self, pair: Pair<'_, Rule>) -> Parsed<FactRow> {
        let span = self.span(&pair);
        let mut values = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::tuple => values = self.list(part)?.0,
                Rule::expr => values.push(self.expression(part)?.expr),
                _ => {}
            }
        }
        Ok(FactRow { values, span })
    }

    /// The labelled clauses; or, where no clause is labelled, the disjuncts outside all brackets and scopes.
    fn clauses(&self, body: Pair<'_, Rule>) -> Parsed<Vec<ClauseDecl>> {
        let mut clauses = Vec::new();
        for pair in body.into_inner().filter(|part| part.as_rule() == Rule::clause) {
            let (mut label, mut expr) = (None, None);
            for part in pair.into_inner() {
                match part.as_rule() {
                    Rule::label => label = part.into_inner().next().map(|name| self.name(name)),
                    Rule::expr => expr = Some(part),
                    _ => {}
                }
            }
            clauses.push((label, expr.expect("a clause has a formula")));
        }
        if let [(None, _)] = &clauses[..] {
            let (_, only) = clauses.remove(0);
            let disjuncts = self.disjuncts(only)?;
            return Ok(disjuncts
                .into_iter()
                .map(|built| ClauseDecl { label: None, body: built.expr })
                .collect());
        }
        clauses
            .into_iter()
            .map(|(label, pair)| Ok(ClauseDecl { label, body: self.expression(pair)?.expr }))
            .collect()
    }
}
