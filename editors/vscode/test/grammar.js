// Compares the scopes that the grammars give to the samples with the snapshots beside them. `--update` writes them.
// `--book colours.js FILE…` compares what the book makes of the grammars with what editors do, for all these files.

const fs = require("fs");
const path = require("path");
const { createOnigScanner, createOnigString, loadWASM } = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const root = path.join(__dirname, "..");
const grammars = { "source.fp": "syntaxes/fp.tmLanguage.json", "source.bp": "syntaxes/bp.tmLanguage.json" };

async function registry() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  return new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: async (scope) => parseRawGrammar(fs.readFileSync(path.join(root, grammars[scope]), "utf8"), grammars[scope]),
  });
}

function scopes(grammar, text) {
  const out = [];
  let state = INITIAL;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    out.push(`> ${line}`);
    for (const { startIndex, endIndex, scopes } of tokens) {
      const word = line.slice(startIndex, endIndex).trim();
      const scope = scopes.slice(1).join(" ");
      if (word && scope) out.push(`  ${word}  ${scope}`);
    }
  }
  return out.join("\n") + "\n";
}

// The scopes of each line, as lists of [from, to, scopes]; neighbours of the same scopes are one.
function joined(tokens) {
  const out = [];
  for (const [from, to, scope] of tokens.filter(([from, to]) => from < to)) {
    if (out.length && out.at(-1)[2] === scope) out.at(-1)[1] = to;
    else out.push([from, to, scope]);
  }
  return JSON.stringify(out);
}

async function book(highlighter, files) {
  const { textTokens } = require(path.resolve(highlighter));
  const all = await registry();
  let lines = 0;
  let differ = 0;
  for (const file of files) {
    const scope = `source${path.extname(file)}`;
    const grammar = await all.loadGrammar(scope);
    const text = fs.readFileSync(file, "utf8");
    const raw = JSON.parse(fs.readFileSync(path.join(root, grammars[scope]), "utf8"));
    let state = INITIAL;
    for (const { line, tokens } of textTokens(raw, text)) {
      const seen = grammar.tokenizeLine(line, state);
      state = seen.ruleStack;
      const place = ({ startIndex, endIndex, scopes }) => [startIndex, Math.min(endIndex, line.length), scopes.slice(1).join(" ")];
      const expected = joined(seen.tokens.map(place));
      const got = joined(tokens.map(({ from, to, scopes }) => [from, to, scopes.join(" ")]));
      lines += 1;
      if (got === expected) continue;
      differ += 1;
      console.log(`${file}: ${line}\n  editors ${expected}\n  book    ${got}`);
    }
  }
  console.log(`the book: ${lines} lines, ${differ} differ`);
  process.exitCode = differ ? 1 : 0;
}

async function main() {
  const asked = process.argv.indexOf("--book");
  if (asked > 0) return book(process.argv[asked + 1], process.argv.slice(asked + 2));
  const update = process.argv.includes("--update");
  const all = await registry();
  let passed = 0;
  let failed = 0;
  for (const sample of fs.readdirSync(path.join(__dirname, "samples")).sort()) {
    const grammar = await all.loadGrammar(`source${path.extname(sample)}`);
    const seen = scopes(grammar, fs.readFileSync(path.join(__dirname, "samples", sample), "utf8"));
    const snapshot = path.join(__dirname, "snapshots", `${sample}.txt`);
    if (update) fs.writeFileSync(snapshot, seen);
    const expected = fs.existsSync(snapshot) ? fs.readFileSync(snapshot, "utf8") : "";
    if (seen === expected) {
      passed += 1;
      continue;
    }
    failed += 1;
    const lines = expected.split("\n");
    const at = seen.split("\n").findIndex((line, number) => line !== lines[number]);
    console.log(`${sample}, line ${at + 1} of the snapshot:\n  expected ${lines[at]}\n  seen     ${seen.split("\n")[at]}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

main();
