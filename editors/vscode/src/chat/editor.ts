/** What the server asks of the editor: to save files, and for the problems that it shows. */
import * as vscode from 'vscode';
import type { Server } from '../server/server';
import { range } from './context';
import { problemsOf } from './problems';
import { words } from '../shared/words';

interface Saved {
  saved: string[];
  failed: { uri: string; reason: string }[];
}

/** Answers emendo/editor/save and emendo/editor/diagnostics. */
export function registerEditorRequests(server: Server): void {
  server.onRequest<{ uris?: string[] }, Saved>('emendo/editor/save', ({ uris = [] }) => save(uris));
  server.onRequest<{ uris?: string[] }, unknown>('emendo/editor/diagnostics', ({ uris }) => Promise.resolve(diagnostics(uris)));
}

async function save(uris: string[]): Promise<Saved> {
  const answer: Saved = { saved: [], failed: [] };
  for (const uri of uris) {
    const reason = await saveOne(uri);
    if (reason === undefined) {
      answer.saved.push(uri);
    } else {
      answer.failed.push({ uri, reason });
    }
  }
  return answer;
}

/** Saves a file and returns why that failed, if it did. */
async function saveOne(uri: string): Promise<string | undefined> {
  const document = opened(vscode.Uri.parse(uri)) ?? notebookAt(uri);
  if (!document) {
    return words.notOpen;
  }
  if (!document.isDirty) {
    return undefined;
  }
  if (document.isUntitled) {
    return words.noName;
  }
  try {
    return (await document.save()) ? undefined : words.notSaved;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function notebookAt(uri: string): vscode.NotebookDocument | undefined {
  const spelled = vscode.Uri.parse(uri).toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.uri.toString() === spelled);
}

function opened(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

function diagnostics(uris: string[] | undefined): { items: unknown[] } {
  const all = problemsOf(uris, {
    of: (uri): [vscode.Uri, readonly vscode.Diagnostic[]] => [vscode.Uri.parse(uri), vscode.languages.getDiagnostics(vscode.Uri.parse(uri))],
    all: () => vscode.languages.getDiagnostics(),
  });
  return {
    items: all.map(([uri, found]) => ({
      uri: uri.toString(),
      version: opened(uri)?.version,
      diagnostics: found.map(diagnostic),
    })),
  };
}

/** A problem as LSP has it. VS Code counts severities from zero, LSP from one. */
function diagnostic(found: vscode.Diagnostic): unknown {
  const { code } = found;
  const described = typeof code === 'object';
  return {
    range: range(found.range),
    severity: found.severity + 1,
    message: found.message,
    source: found.source,
    code: described ? code.value : code,
    codeDescription: described ? { href: code.target.toString() } : undefined,
    tags: found.tags,
    relatedInformation: found.relatedInformation?.map(({ location, message }) => ({
      location: { uri: location.uri.toString(), range: range(location.range) },
      message,
    })),
  };
}
