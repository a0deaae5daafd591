// Written by `BOOK=update cargo test --test book`: the grammars of editors/vscode/syntaxes.
const grammars = {
fp: {
  "name": "Fixed-point equations",
  "scopeName": "source.fp",
  "fileTypes": ["fp"],
  "patterns": [
    { "include": "#comments" },
    { "include": "#texts" },
    { "include": "#definitions" },
    { "include": "#uses" },
    { "include": "#verdicts" },
    { "include": "#labels" },
    { "include": "#unrolled" },
    { "include": "#words" },
    { "include": "#sorts" },
    { "include": "#calls" },
    { "include": "#numbers" },
    { "include": "#operators" }
  ],
  "repository": {
    "comments": {
      "patterns": [
        { "name": "comment.line.documentation.fp", "match": "//!.*$" },
        { "name": "comment.line.expectation.fp", "match": "//@.*$" },
        { "name": "comment.line.double-slash.fp", "match": "//.*$" }
      ]
    },
    "texts": {
      "patterns": [
        {
          "name": "string.quoted.double.fp",
          "begin": "\"",
          "end": "\"|$",
          "patterns": [{ "name": "constant.character.escape.fp", "match": "\\\\.|\\{[A-Za-z_][A-Za-z0-9_]*\\}" }]
        }
      ]
    },
    "definitions": {
      "patterns": [
        {
          "match": "\\b(mu|nu)\\s+(if)\\b",
          "captures": { "1": { "name": "keyword.declaration.fp" }, "2": { "name": "keyword.control.fp" } }
        },
        {
          "match": "\\b(mu|nu|let|query|trace|rel|input)\\s+([A-Za-z_][A-Za-z0-9_]*'*)",
          "captures": {
            "1": { "name": "keyword.declaration.fp" },
            "2": { "name": "entity.name.function.fp" }
          }
        },
        {
          "match": "\\b(enum|range|symbol|record|sort)\\s+([A-Za-z_][A-Za-z0-9_]*)",
          "captures": {
            "1": { "name": "keyword.declaration.fp" },
            "2": { "name": "entity.name.type.fp" }
          }
        },
        {
          "match": "\\b(param|const)\\s+([A-Za-z_][A-Za-z0-9_]*)",
          "captures": {
            "1": { "name": "keyword.declaration.fp" },
            "2": { "name": "variable.other.constant.fp" }
          }
        }
      ]
    },
    "uses": {
      "patterns": [
        {
          "match": "^\\s*(use)\\s+([A-Za-z_][A-Za-z0-9_]*)\\s*(?=;)",
          "captures": {
            "1": { "name": "keyword.control.import.fp" },
            "2": { "name": "entity.name.namespace.fp" }
          }
        },
        { "name": "keyword.control.import.fp", "match": "^\\s*use\\b" }
      ]
    },
    "verdicts": {
      "patterns": [
        {
          "match": "^\\s*(verdict)\\s+(unsafe|safe|bounded|unknown)\\b",
          "captures": {
            "1": { "name": "keyword.declaration.fp" },
            "2": { "name": "constant.language.verdict.fp" }
          }
        },
        {
          "match": "^\\s*(hint)\\s+([a-z_]+)",
          "captures": {
            "1": { "name": "keyword.other.fp" },
            "2": { "name": "keyword.other.fp" }
          }
        },
        { "name": "keyword.declaration.fp", "match": "^\\s*require\\b" }
      ]
    },
    "labels": {
      "patterns": [
        {
          "match": "(?:^\\s*\\|?|\\|)\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*(:)(?!=)",
          "captures": { "1": { "name": "entity.name.label.fp" } }
        }
      ]
    },
    "unrolled": {
      "patterns": [
        {
          "begin": "\\b(some|each)\\b",
          "beginCaptures": { "1": { "name": "keyword.control.quantifier.fp" } },
          "end": ":|$",
          "patterns": [
            { "include": "#comments" },
            { "include": "#words" },
            { "include": "#calls" },
            { "include": "#numbers" },
            { "include": "#operators" }
          ]
        }
      ]
    },
    "words": {
      "patterns": [
        { "name": "keyword.control.quantifier.fp", "match": "\\b(exists|forall)\\b" },
        { "name": "keyword.control.fp", "match": "\\b(if|else|in|with|as|keyed|given|within|outside|by|at)\\b" },
        { "name": "constant.language.fp", "match": "\\b(true|false)\\b" },
        { "name": "keyword.declaration.fp", "match": "\\b(mu|nu)\\b" }
      ]
    },
    "sorts": {
      "patterns": [
        {
          "match": ":\\s*([A-Za-z_][A-Za-z0-9_.]*)(?![A-Za-z0-9_.]|\\s*\\()",
          "captures": { "1": { "name": "entity.name.type.fp" } }
        }
      ]
    },
    "calls": {
      "patterns": [
        { "name": "entity.name.function.fp", "match": "\\b[A-Za-z_][A-Za-z0-9_]*'*(?=\\s*(\\(|\\[[^\\]]*\\]\\s*\\())" }
      ]
    },
    "numbers": { "patterns": [{ "name": "constant.numeric.fp", "match": "\\b[0-9]+\\b" }] },
    "operators": {
      "patterns": [
        { "name": "keyword.operator.fp", "match": "<->|->|:=|\\+\\+|!=|<=|>=|\\.\\.|[|&!=<>+*/%-]" }
      ]
    }
  }
},
bp: {
  "name": "Boolean program",
  "scopeName": "source.bp",
  "fileTypes": ["bp"],
  "patterns": [
    { "include": "#comments" },
    { "include": "#threads" },
    { "include": "#procedures" },
    { "include": "#labels" },
    { "include": "#words" },
    { "include": "#calls" },
    { "include": "#values" },
    { "include": "#operators" }
  ],
  "repository": {
    "comments": {
      "patterns": [
        { "name": "comment.line.expectation.bp", "match": "//@.*$" },
        { "name": "comment.line.double-slash.bp", "match": "//.*$" },
        { "name": "comment.block.bp", "begin": "/\\*", "end": "\\*/" }
      ]
    },
    "threads": {
      "patterns": [
        {
          "match": "\\b(thread)\\s+([A-Za-z_$][A-Za-z0-9_$#]*)",
          "captures": {
            "1": { "name": "keyword.declaration.bp" },
            "2": { "name": "entity.name.function.bp" }
          }
        },
        { "name": "keyword.declaration.bp", "match": "\\binit\\b(?=\\s+begin\\b)" }
      ]
    },
    "procedures": {
      "patterns": [
        {
          "match": "\\b(void|bool)\\b(?:<[0-9]+>)?\\s+([A-Za-z_$][A-Za-z0-9_$#]*)\\s*(?=\\()",
          "captures": {
            "1": { "name": "storage.type.bp" },
            "2": { "name": "entity.name.function.bp" }
          }
        },
        { "name": "storage.type.bp", "match": "\\b(void|bool|decl|mod)\\b" }
      ]
    },
    "labels": {
      "patterns": [
        {
          "match": "^\\s*([A-Za-z_$][A-Za-z0-9_$#]*|[0-9]+)\\s*(:)(?!=)",
          "captures": { "1": { "name": "entity.name.label.bp" } }
        }
      ]
    },
    "words": {
      "patterns": [
        {
          "name": "keyword.control.bp",
          "match": "\\b(begin|end|if|then|elsif|else|fi|while|do|od|goto|return|skip|dead|start_thread|end_thread|abortif|print|sync|dfs)\\b"
        },
        { "name": "keyword.other.assertion.bp", "match": "\\b(assert|assume|constrain|enforce)\\b" },
        { "name": "keyword.other.atomic.bp", "match": "\\b(atomic_begin|atomic_end)\\b" },
        { "name": "keyword.operator.bp", "match": "\\bschoose\\b" }
      ]
    },
    "calls": {
      "patterns": [{ "name": "entity.name.function.bp", "match": "\\b[A-Za-z_$][A-Za-z0-9_$#]*(?=\\s*\\()" }]
    },
    "values": {
      "patterns": [
        { "name": "constant.language.bp", "match": "\\b[TF]\\b" },
        { "name": "constant.numeric.bp", "match": "\\b[0-9]+\\b" }
      ]
    },
    "operators": {
      "patterns": [
        { "name": "keyword.operator.assignment.bp", "match": ":=" },
        { "name": "keyword.operator.bp", "match": "&&|\\|\\||=>|!=|<=|>=|==|\\.\\.|[&|^!~=<>+*%?-]" }
      ]
    }
  }
},
};
