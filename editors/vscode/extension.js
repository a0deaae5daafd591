// The client: starts `fpsolve lsp`, and runs the command for what a server cannot do.

const vscode = require("vscode");
const os = require("os");
const path = require("path");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function setting(name) {
  return vscode.workspace.getConfiguration("fpsolve").get(name);
}

// The words of a run of the file in the editor; equations are run on the model of the settings.
function words(file) {
  const model = setting("model");
  return [file, ...(path.extname(file) === ".fp" && model ? [model] : []), ...setting("arguments")];
}

function inTerminal(args) {
  const quoted = [setting("path"), ...args].map((word) => (/^[\w./=:@%+,-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`));
  const terminal = vscode.window.terminals.find((one) => one.name === "fpsolve") ?? vscode.window.createTerminal("fpsolve");
  terminal.show(true);
  terminal.sendText(quoted.join(" "));
}

async function saved() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !["fp", "bp"].includes(editor.document.languageId)) {
    vscode.window.showInformationMessage("Open a file of equations (.fp) or a Boolean program (.bp) first.");
    return undefined;
  }
  await editor.document.save();
  return editor;
}

async function run(uri) {
  if (uri) return inTerminal(words(vscode.Uri.parse(String(uri)).fsPath));
  const editor = await saved();
  if (editor) inTerminal(words(editor.document.fileName));
}

// `Reach(3, _)` around the cursor, or what the user types.
async function explain() {
  const editor = await saved();
  if (!editor) return;
  const range = editor.document.getWordRangeAtPosition(editor.selection.active, /!?[A-Za-z_]\w*'*(\[[^\]]*\])?\([^()]*\)/);
  const selected = editor.document.getText(editor.selection.isEmpty ? range : editor.selection);
  const tuple = await vscode.window.showInputBox({
    prompt: "A tuple; with ! in front: why it is not there",
    value: range || !editor.selection.isEmpty ? selected : "",
  });
  if (tuple) inTerminal([...words(editor.document.fileName), "--explain", tuple]);
}

async function report() {
  const editor = await saved();
  if (!editor) return;
  const page = path.join(os.tmpdir(), `${path.basename(editor.document.fileName)}.html`);
  const task = new vscode.Task(
    { type: "fpsolve" },
    vscode.TaskScope.Workspace,
    "report",
    "fpsolve",
    new vscode.ProcessExecution(setting("path"), [...words(editor.document.fileName), "--report", page])
  );
  const running = await vscode.tasks.executeTask(task);
  const ended = vscode.tasks.onDidEndTaskProcess((event) => {
    if (event.execution !== running) return;
    ended.dispose();
    // 2 and above are mistakes and crashes; 3 has a report of what was done.
    if (event.exitCode !== undefined && event.exitCode !== 2 && event.exitCode < 4) vscode.env.openExternal(vscode.Uri.file(page));
  });
}

function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("fpsolve.run", run),
    vscode.commands.registerCommand("fpsolve.explain", explain),
    vscode.commands.registerCommand("fpsolve.report", report)
  );
  const server = { command: setting("path"), args: ["lsp"] };
  const selector = ["fp", "bp"].map((language) => ({ scheme: "file", language }));
  client = new LanguageClient("fpsolve", "fpsolve", server, { documentSelector: selector });
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
