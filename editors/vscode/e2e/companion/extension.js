// The companion of the tests: it brings a toy language with diagnostics and
// symbols, and runs functions of the tests in the extension host, so that they
// look at documents and tabs rather than at what the page draws of them.
//
// In the toy language `let NAME = VALUE` defines NAME, `oops TEXT` is an error
// and `hm TEXT` a warning, each about its line.
'use strict';
const vscode = require('vscode');
const { createServer } = require('node:http');
const { renameSync, writeFileSync } = require('node:fs');

exports.activate = function activate(context) {
  const diagnostics = vscode.languages.createDiagnosticCollection('toy');
  const check = (document) => {
    if (document.languageId === 'toy') {
      diagnostics.set(document.uri, problems(document));
    }
  };
  vscode.workspace.textDocuments.forEach(check);
  context.subscriptions.push(
    diagnostics,
    vscode.workspace.onDidOpenTextDocument(check),
    vscode.workspace.onDidChangeTextDocument((event) => check(event.document)),
    vscode.languages.registerDocumentSymbolProvider('toy', { provideDocumentSymbols: symbols }),
    vscode.languages.registerWorkspaceSymbolProvider({ provideWorkspaceSymbols: workspaceSymbols }),
    vscode.workspace.registerFileSystemProvider('memo', memo(), { isReadonly: true }),
  );
  serve(context);
};

/** What is wrong with a document. */
function problems(document) {
  const found = [];
  for (let i = 0; i < document.lineCount; i++) {
    const line = document.lineAt(i);
    const match = /^\s*(oops|hm)\s+(.*)$/.exec(line.text);
    if (match) {
      const severity = match[1] === 'oops' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
      const problem = new vscode.Diagnostic(line.range, match[2], severity);
      problem.source = 'toy';
      found.push(problem);
    }
  }
  return found;
}

/** What a document defines. */
function symbols(document) {
  const found = [];
  for (let i = 0; i < document.lineCount; i++) {
    const line = document.lineAt(i);
    const match = /^let\s+(\w+)/.exec(line.text);
    if (match) {
      found.push(new vscode.DocumentSymbol(match[1], '', vscode.SymbolKind.Variable, line.range, line.range));
    }
  }
  return found;
}

/** What the toy files of the workspace define, by a part of its name. */
async function workspaceSymbols(query) {
  const found = [];
  for (const uri of await vscode.workspace.findFiles('**/*.toy')) {
    const document = await vscode.workspace.openTextDocument(uri);
    for (const { name, kind, range } of symbols(document)) {
      if (name.toLowerCase().includes(query.toLowerCase())) {
        found.push(new vscode.SymbolInformation(name, kind, '', new vscode.Location(uri, range)));
      }
    }
  }
  return found;
}

function readOnly(uri) {
  throw vscode.FileSystemError.NoPermissions(uri);
}

/** A file system without a disk: the folder /parking with one file. */
function memo() {
  const text = new TextEncoder().encode('let rate = 250\n');
  const { File, Directory } = vscode.FileType;
  const entries = { '/': ['parking', Directory], '/parking': ['fee.toy', File] };
  const isFile = ({ path }) => path === '/parking/fee.toy';
  const found = (uri, value) => {
    if (value === undefined || value === false) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return value;
  };
  const times = { ctime: 0, mtime: 0 };
  return {
    onDidChangeFile: new vscode.EventEmitter().event,
    watch: () => new vscode.Disposable(() => {}),
    stat: (uri) => (isFile(uri) ? { type: File, size: text.length, ...times } : found(uri, entries[uri.path]) && { type: Directory, size: 0, ...times }),
    readDirectory: (uri) => [found(uri, entries[uri.path])],
    readFile: (uri) => found(uri, isFile(uri)) && text,
    // VS Code takes no provider without these.
    createDirectory: readOnly,
    writeFile: readOnly,
    delete: readOnly,
    rename: readOnly,
  };
}

/**
 * Runs functions that the test posts, as {source, args}, on a port of loopback
 * whose number is written into the file that EMENDO_TESTS_PORT names.
 */
function serve(context) {
  const file = process.env.EMENDO_TESTS_PORT;
  if (!file) {
    return;
  }
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', async () => {
      let answer;
      try {
        const { source, args } = JSON.parse(body);
        answer = { result: await eval(`(${source})`)(vscode, ...args) };
      } catch (error) {
        answer = { error: String(error?.stack ?? error) };
      }
      response.end(JSON.stringify(answer) ?? '{}');
    });
  });
  server.listen(0, '127.0.0.1', () => {
    writeFileSync(`${file}.new`, String(server.address().port));
    renameSync(`${file}.new`, file);
  });
  context.subscriptions.push({ dispose: () => server.close() });
}
