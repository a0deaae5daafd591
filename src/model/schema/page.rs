//! The vocabularies as the tables of their documentation.

use super::pushdown;
use super::*;

/// The tables of `docs/programs.md`: sorts, facts and relations.
pub fn tables() -> [String; 3] {
    let sorts = [PC, SHARED, OWN, LOCAL, LINE, VAR, LABEL, PROCEDURE, CLASS];
    let relations = [
        &INITIAL,
        &START,
        &STEP,
        &SPAWN,
        &BROADCAST,
        &PASSIVE,
        &MOVE_ALL,
        &CALL,
        &RET,
        &EXIT,
        &YIELD,
        &PAUSE,
        &TARGET,
        &COVER,
        &COVER_SHARED,
        &TARGET_CLASS,
        &REACH_CFG,
        &LINE_OF,
        &ASSERTION,
        &CODE,
        &LABEL_OF,
        &IN_PROCEDURE,
        &READS,
        &WRITES,
        &FORGETS,
        &SHARED_VAR,
        &UNINITIALISED,
        &WAITS,
        &RESTS,
        &SYNCHRONISES,
        &PREDICATE,
        &PREDICATE_OF_TWO,
        &OUTLINE,
        &MENTIONED,
        &LOOP_HEAD,
    ];
    tables_of(
        NAME,
        &sorts,
        (STATE, &STATE_FIELDS, STATE_MEANING),
        &ProgramFacts::default().list(),
        &relations,
    )
}

/// The tables of `docs/pushdown.md`: sorts, facts and relations.
pub fn pushdown_tables() -> [String; 3] {
    use pushdown::*;
    let record: (_, &[_], _) = (SYMBOL, &SYMBOL_FIELDS, SYMBOL_MEANING);
    let sorts = [SHARED, PC, LOCAL, RESULT, PATTERN];
    tables_of(pushdown::NAME, &sorts, record, &PushdownFacts::default().list(), &RELATIONS)
}

fn tables_of(
    vocabulary: &str,
    sorts: &[SortSchema],
    (record, fields, meaning): (&str, &[(&str, &SortSchema)], &'static str),
    facts: &[(&str, i64, &'static str)],
    relations: &[&RelationSchema],
) -> [String; 3] {
    let mut sorts = sorts.iter().map(|sort| (code(sort.name), sort.meaning)).collect::<Vec<_>>();
    let fields = fields.iter().map(|(field, sort)| format!("{field}: {}", sort.name));
    let fields = fields.collect::<Vec<_>>().join(", ");
    sorts.push((code(&format!("record {record} {{ {fields} }}")), meaning));
    let facts = facts.iter().map(|(name, _, meaning)| (code(&format!("{vocabulary}.{name}")), *meaning));
    let relations = relations.iter().map(|relation| {
        let index = relation.family.index();
        let columns = relation.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        (code(&format!("{}{index}({columns})", relation.name)), relation.meaning)
    });
    [
        table(["sort", "what it is"], &sorts),
        table(["fact", "what it is"], &facts.collect::<Vec<_>>()),
        table(["relation", "meaning"], &relations.collect::<Vec<_>>()),
    ]
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn table(head: [&str; 2], rows: &[(String, &str)]) -> String {
    let lines = rows.iter().map(|(name, meaning)| format!("| {name} | {meaning} |\n"));
    format!("| {} | {} |\n|---|---|\n{}", head[0], head[1], lines.collect::<String>())
}
