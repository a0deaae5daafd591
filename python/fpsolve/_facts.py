"""Relations as files that `--facts` reads: a NAME.facts for each, with tabs between the columns."""



def write_facts(folder, facts):
    """`facts` has for each relation a pandas DataFrame, or an iterable of tuples; of one column also of values."""
    for name, rows in facts.items():
        with open(folder / f"{name}.facts", "w", encoding="utf-8", newline="") as file:
            for row in _rows(rows):
                file.write("\t".join(_cell(name, value) for value in row) + "\n")


def _rows(rows):
    if hasattr(rows, "itertuples"):
        return rows.itertuples(index=False, name=None)
    return (row if isinstance(row, (tuple, list)) else (row,) for row in rows)


def _cell(relation, value):
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if any(character in text for character in "\t\n\r"):
        raise ValueError(f"a value of {relation} has a tab or a line break, which a row of facts cannot have: {text!r}")
    return text
