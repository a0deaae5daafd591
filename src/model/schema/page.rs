//! The vocabulary as the tables of its documentation.

use super::*;

/// The tables of `docs/programs.md`: sorts, facts and relations.
pub fn tables() -> [String; 3] {
    let sorts = [PC, SHARED, OWN, LOCAL, LINE, VAR, LABEL, PROCEDURE, CLASS];
    let mut sorts = sorts.map(|sort| (code(sort.name), sort.meaning)).to_vec();
    let fields = STATE_FIELDS.map(|(field, sort)| format!("{field}: {}", sort.name)).join(", ");
    sorts.push((code(&format!("record {STATE} {{ {fields} }}")), STATE_MEANING));
    let facts =
        ProgramFacts::default().list().map(|(name, _, meaning)| (code(&format!("{NAME}.{name}")), meaning));
    let relations = [
        INITIAL,
        START,
        STEP,
        SPAWN,
        BROADCAST,
        PASSIVE,
        MOVE_ALL,
        CALL,
        RET,
        EXIT,
        YIELD,
        PAUSE,
        TARGET,
        COVER,
        COVER_SHARED,
        TARGET_CLASS,
        REACH_CFG,
        LINE_OF,
        ASSERTION,
        CODE,
        LABEL_OF,
        IN_PROCEDURE,
        READS,
        WRITES,
        FORGETS,
        SHARED_VAR,
        UNINITIALISED,
    ];
    let relations = relations.map(|relation| {
        let index = relation.family.index();
        let columns = relation.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        (code(&format!("{}{index}({columns})", relation.name)), relation.meaning)
    });
    [
        table(["sort", "what it is"], &sorts),
        table(["fact", "what it is"], &facts),
        table(["relation", "meaning"], &relations),
    ]
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn table(head: [&str; 2], rows: &[(String, &str)]) -> String {
    let lines = rows.iter().map(|(name, meaning)| format!("| {name} | {meaning} |\n"));
    format!("| {} | {} |\n|---|---|\n{}", head[0], head[1], lines.collect::<String>())
}
