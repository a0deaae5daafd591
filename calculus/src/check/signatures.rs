//! The relations: every instance of every family, with the sorts of its columns. Their bodies come later.
//!
//! A family that is indexed by numbers has its instances from the beginning. One that is indexed by sorts or
//! relations gets them where it is used: `instantiate/arguments.rs` asks for them.

use super::arguments::{Argument, RelationArgument, numbers};
use super::declare::FamilySource;
use super::findings::{Checked, Findings, Reported};
use super::sorts::SortTable;
use super::statics::{Env, Statics};
use super::tree::{Body, Column, RelId, Relation};
use crate::diagnostic::Diagnostic;
use crate::index::Id;
use crate::span::Span;
use crate::syntax::ast::{self, FamilyIndex, IndexBinder};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// How many instances all families may have together.
const MAX_INSTANCES: usize = 200_000;

/// How many instances may be made one inside the other.
const MAX_CHAIN: usize = 100;

#[derive(Default)]
pub(super) struct Signatures {
    /// The bodies of definitions, facts and inputs are still empty.
    pub relations: Vec<Relation>,
    /// Of each family.
    pub instances: Vec<Instances>,
    /// Instances that were made where they are used and have no bodies yet.
    pub pending: VecDeque<Pending>,
    /// Of the relations that were made where they are used.
    pub origins: BTreeMap<RelId, Origin>,
    /// Comprehensions by their place, what is static in them, and the sorts that their columns must have.
    pub comprehensions: BTreeMap<ComprehensionKey, RelId>,
    /// How often a text was given to a comprehension.
    texts: BTreeMap<String, usize>,
}

pub(super) type ComprehensionKey = (Span, Vec<Argument>, Option<Vec<crate::sort::SortId>>);

#[derive(Default)]
pub(super) struct Instances {
    pub by_indices: BTreeMap<Vec<Argument>, RelId>,
    /// Some instance could not be made; uses of the family are passed over.
    pub broken: bool,
}

/// An instance without a body.
pub(super) struct Pending {
    pub family: usize,
    pub id: RelId,
    pub env: Vec<(Rc<str>, Argument)>,
}

/// Why a relation was made where it is used.
pub(super) struct Origin {
    /// The relation whose formula uses it.
    pub user: Option<RelId>,
    pub place: Span,
    /// How many relations were made one inside the other up to this one.
    depth: usize,
    /// The relations that it is an instance for.
    pub arguments: Vec<RelId>,
}

impl Instances {
    /// The only instance of a relation without indices.
    pub fn only(&self) -> Option<RelId> {
        self.by_indices.get(&[][..]).copied()
    }
}

/// Makes the instances of all families that are indexed by numbers.
pub(super) fn signatures(statics: Statics, table: &mut SortTable, findings: &mut Findings) -> Signatures {
    let mut pass = SignaturePass { statics, table, findings, found: Signatures::default() };
    for (at, family) in statics.declarations.families.iter().enumerate() {
        pass.found.instances.push(Instances::default());
        let made = match family.source {
            FamilySource::Facts { columns, .. } | FamilySource::Input { columns } => {
                pass.instance(at, Vec::new(), columns, &[])
            }
            FamilySource::Defined { .. } if family.is_generic() => Ok(()),
            FamilySource::Defined { indices, columns, .. } => pass.family(at, indices, columns),
            FamilySource::Offered(offered) => pass.offered(at, offered),
        };
        pass.found.instances[at].broken = made.is_err();
    }
    pass.found
}

struct SignaturePass<'s, 'a> {
    statics: Statics<'s, 'a>,
    table: &'s mut SortTable,
    findings: &'s mut Findings,
    found: Signatures,
}

impl SignaturePass<'_, '_> {
    fn family(&mut self, at: usize, indices: &[FamilyIndex], columns: &[ast::ColumnDecl]) -> Checked<()> {
        let number = |index: &FamilyIndex| match index {
            FamilyIndex::Number(index) => Some(index.clone()),
            FamilyIndex::Sort(_) | FamilyIndex::Relation(_) => None,
        };
        let indices = indices.iter().filter_map(number).collect::<Vec<IndexBinder>>();
        for env in self.statics.index_tuples(&indices, &mut Vec::new(), self.findings)? {
            self.found.not_too_many(self.statics.declarations.families[at].span, self.findings)?;
            let values = env.iter().map(|(_, value)| value.clone()).collect();
            self.instance(at, values, columns, &env)?;
        }
        Ok(())
    }

    fn instance(
        &mut self,
        at: usize,
        indices: Vec<Argument>,
        columns: &[ast::ColumnDecl],
        env: &Env,
    ) -> Checked<()> {
        let columns = resolve_columns(columns, env, self.statics, self.table, self.findings)?;
        self.add(at, indices, columns, Body::Facts(Vec::new()));
        Ok(())
    }

    fn offered(&mut self, at: usize, offered: usize) -> Checked<()> {
        let model = self.statics.declarations.model.ok_or(Reported)?;
        let relation = &model.relations[offered];
        let mut columns = Vec::new();
        for (name, sort) in &relation.columns {
            let sort = self.table.offered(sort, self.statics, self.findings)?;
            columns.push(Column { name: name.as_str().into(), sort, span: None });
        }
        let indices = match relation.index {
            None => vec![Vec::new()],
            Some((lo, hi)) => (lo..=hi).map(|value| numbers([value])).collect(),
        };
        for (indices, rows) in indices.into_iter().zip(&relation.instances) {
            self.add(at, indices, columns.clone(), Body::Model(rows.clone()));
        }
        Ok(())
    }

    fn add(&mut self, at: usize, indices: Vec<Argument>, columns: Vec<Column>, body: Body) {
        let family = &self.statics.declarations.families[at];
        let (name, span): (Rc<str>, _) = (family.name.clone(), family.span);
        let written = indices.iter().map(Argument::index).collect();
        let id = self.found.push(Relation { name, indices: written, columns, body, span });
        self.found.instances[at].by_indices.insert(indices, id);
    }
}

/// The columns of an instance.
pub(super) fn resolve_columns(
    columns: &[ast::ColumnDecl],
    env: &Env,
    statics: Statics,
    table: &mut SortTable,
    findings: &mut Findings,
) -> Checked<Vec<Column>> {
    let column = |column: &ast::ColumnDecl| {
        let sort = table.resolve(&column.sort, env, statics, findings)?;
        Ok(Column { name: column.name.name.clone(), sort, span: Some(column.name.span) })
    };
    let columns = columns.iter().map(column).collect::<Vec<_>>();
    columns.into_iter().collect()
}

impl Signatures {
    pub fn push(&mut self, relation: Relation) -> RelId {
        let id = RelId::from_index(self.relations.len());
        self.relations.push(relation);
        id
    }

    /// Whether one more relation may be made, for the definition at this place.
    fn not_too_many(&self, place: Span, findings: &mut Findings) -> Checked<()> {
        if self.relations.len() < MAX_INSTANCES {
            return Ok(());
        }
        Err(findings.add(
            Diagnostic::error("fp::too_many_instances", "the families have more than 200,000 instances")
                .label(place, "while instantiating this one")
                .help("make the ranges of the indices or the parameters smaller"),
        ))
    }

    /// The instance of a family of definitions for these arguments, made now if this is its first use.
    pub fn instance_for(
        &mut self,
        family: usize,
        env: Vec<(Rc<str>, Argument)>,
        origin: (Option<RelId>, Span),
        (statics, table, findings): (Statics, &mut SortTable, &mut Findings),
    ) -> Checked<RelId> {
        let arguments = env.iter().map(|(_, argument)| argument.clone()).collect::<Vec<_>>();
        if let Some(id) = self.instances[family].by_indices.get(&arguments) {
            return Ok(*id);
        }
        let declared = &statics.declarations.families[family];
        let FamilySource::Defined { columns, .. } = declared.source else { return Err(Reported) };
        self.not_too_many(declared.span, findings)?;
        let columns = resolve_columns(columns, &env, statics, table, findings)?;
        let relations = arguments.iter().flat_map(|argument| self.relations_in(argument)).collect();
        let written = arguments.iter().map(Argument::index).collect();
        let id = self.push(Relation {
            name: declared.name.clone(),
            indices: written,
            columns,
            body: Body::Facts(Vec::new()),
            span: declared.span,
        });
        self.remember(id, origin, relations, findings)?;
        self.instances[family].by_indices.insert(arguments, id);
        self.pending.push_back(Pending { family, id, env });
        Ok(id)
    }

    /// The relations that an argument stands for.
    pub fn relations_in(&self, argument: &Argument) -> Vec<RelId> {
        match argument {
            Argument::Relation(RelationArgument::One(id), _) => vec![*id],
            Argument::Relation(RelationArgument::Family { family, given }, _) => {
                let instances = &self.instances[*family].by_indices;
                instances.iter().filter(|(key, _)| key.starts_with(given)).map(|(_, id)| *id).collect()
            }
            Argument::Number(_) | Argument::Sort(..) => Vec::new(),
        }
    }

    /// Notes where a relation was made. A chain of relations that each need the next one must end.
    pub fn remember(
        &mut self,
        id: RelId,
        (user, place): (Option<RelId>, Span),
        arguments: Vec<RelId>,
        findings: &mut Findings,
    ) -> Checked<()> {
        let depth = user.and_then(|user| self.origins.get(&user)).map_or(0, |origin| origin.depth) + 1;
        self.origins.insert(id, Origin { user, place, depth, arguments });
        if depth <= MAX_CHAIN {
            return Ok(());
        }
        Err(findings.add(self.endless(id)))
    }

    /// The chain, from the first instance that another one needed.
    fn endless(&self, last: RelId) -> Diagnostic {
        let mut chain = vec![last];
        while let Some(user) = self.origins.get(&chain[chain.len() - 1]).and_then(|origin| origin.user) {
            chain.push(user);
        }
        chain.reverse();
        // Comprehensions are between the instances.
        chain.retain(|id| !self.relations[id.index()].indices.is_empty());
        let shown = |id: &RelId| format!("`{}`", shorten(&self.relations[id.index()].title(), 50));
        let needs = chain.iter().take(3).map(shown).collect::<Vec<_>>().join(" needs ");
        let (name, span) = chain.first().map_or(("it".into(), Span::default()), |id| {
            let relation = &self.relations[id.index()];
            (relation.name.clone(), relation.span)
        });
        let place = chain.get(1).and_then(|id| self.origins.get(id)).map_or(span, |origin| origin.place);
        Diagnostic::error("fp::endless_instances", format!("`{name}` needs ever new instances of itself"))
            .label(place, "with another argument each time")
            .label(span, "defined here")
            .help(format!("{needs}, and so on; pass arguments on as they are, or make what changes a column"))
    }

    /// A name for a comprehension that no other one has.
    pub fn unique_text(&mut self, text: &str) -> Rc<str> {
        let text = shorten(text, 100);
        let count = self.texts.entry(text.clone()).or_default();
        *count += 1;
        match *count {
            1 => text.into(),
            count => format!("{text} ({count})").into(),
        }
    }
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
