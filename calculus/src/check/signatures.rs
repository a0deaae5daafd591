//! The relations: every instance of every family, with the sorts of its columns. Their bodies come later.

use super::declare::FamilySource;
use super::findings::{Checked, Findings, Reported};
use super::sorts::SortTable;
use super::statics::{Env, Statics};
use super::tree::{Body, Column, RelId, Relation};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{self, IndexBinder};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many instances all families may have together.
const MAX_INSTANCES: usize = 200_000;

pub(super) struct Signatures {
    /// The bodies of definitions, facts and inputs are still empty.
    pub relations: Vec<Relation>,
    /// Of each family.
    pub instances: Vec<Instances>,
}

#[derive(Default)]
pub(super) struct Instances {
    pub by_indices: BTreeMap<Vec<i64>, RelId>,
    /// Some instance could not be made; uses of the family are passed over.
    pub broken: bool,
}

impl Instances {
    /// The only instance of a relation without indices.
    pub fn only(&self) -> Option<RelId> {
        self.by_indices.get(&[][..]).copied()
    }
}

/// Makes the instances of all families.
pub(super) fn signatures(statics: Statics, table: &mut SortTable, findings: &mut Findings) -> Signatures {
    let found = Signatures { relations: Vec::new(), instances: Vec::new() };
    let mut pass = SignaturePass { statics, table, findings, found };
    for (at, family) in statics.declarations.families.iter().enumerate() {
        pass.found.instances.push(Instances::default());
        let made = match family.source {
            FamilySource::Facts { columns, .. } | FamilySource::Input { columns } => {
                pass.instance(at, Vec::new(), columns, &[])
            }
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
    fn family(&mut self, at: usize, indices: &[IndexBinder], columns: &[ast::ColumnDecl]) -> Checked<()> {
        for env in self.statics.index_tuples(indices, &mut Vec::new(), self.findings)? {
            if self.found.relations.len() >= MAX_INSTANCES {
                let title = "the families have more than 200,000 instances";
                return Err(self.findings.add(
                    Diagnostic::error("fp::too_many_instances", title)
                        .label(self.statics.declarations.families[at].span, "while instantiating this one")
                        .help("make the index ranges smaller"),
                ));
            }
            let values = env.iter().map(|(_, value)| *value).collect();
            self.instance(at, values, columns, &env)?;
        }
        Ok(())
    }

    fn instance(
        &mut self,
        at: usize,
        indices: Vec<i64>,
        columns: &[ast::ColumnDecl],
        env: &Env,
    ) -> Checked<()> {
        let column = |column: &ast::ColumnDecl| {
            let sort = self.table.resolve(&column.sort, env, self.statics, self.findings)?;
            Ok(Column { name: column.name.name.clone(), sort, span: Some(column.name.span) })
        };
        let columns = columns.iter().map(column).collect::<Vec<_>>();
        let columns = columns.into_iter().collect::<Checked<Vec<_>>>()?;
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
            Some((lo, hi)) => (lo..=hi).map(|value| vec![value]).collect(),
        };
        for (indices, rows) in indices.into_iter().zip(&relation.instances) {
            self.add(at, indices, columns.clone(), Body::Model(rows.clone()));
        }
        Ok(())
    }

    fn add(&mut self, at: usize, indices: Vec<i64>, columns: Vec<Column>, body: Body) {
        let id = RelId(self.found.relations.len() as u32);
        self.found.instances[at].by_indices.insert(indices.clone(), id);
        let family = &self.statics.declarations.families[at];
        let (name, span): (Rc<str>, _) = (family.name.clone(), family.span);
        self.found.relations.push(Relation { name, indices, columns, body, span });
    }
}
