import * as vscode from 'vscode';
import type { ChatViews } from '../chat/views';
import type { Server } from '../server/server';
import type { Text } from '../shared/view';
import { tell } from '../tell';
import { words } from '../shared/words';

/** What is used of the API of VS Code's git extension. */
interface Repository {
  rootUri: vscode.Uri;
  inputBox: { value: string };
}

interface GitExtension {
  getAPI(version: 1): { repositories: Repository[]; getRepository(uri: vscode.Uri): Repository | null };
}

/** A source control as menus of its view pass it. */
interface SourceControl {
  rootUri?: vscode.Uri;
}

/** A changed file as menus of the view pass it. */
interface ResourceState {
  resourceUri: vscode.Uri;
}

/** Writes a commit message for the staged changes, or for all if none are staged, into the box of the view. */
export async function writeCommitMessage(server: Server, control: SourceControl | undefined): Promise<void> {
  const repository = await repositoryOf(control?.rootUri);
  const before = repository.inputBox.value;
  const { text, note } = await server.execute<{ text: string; note?: Text }>('emendo.commitMessage', { uri: repository.rootUri.toString() });
  if (text !== '' && (await mayReplace(repository, before))) {
    repository.inputBox.value = text;
  }
  if (note) {
    void tell('info', note.text);
  }
}

/** Reports whether the text in the input box may be replaced; asks the user if there is any. */
async function mayReplace(repository: Repository, before: string): Promise<boolean> {
  if (repository.inputBox.value.trim() === '') {
    return true;
  }
  const replace = vscode.l10n.t('Replace');
  const text = vscode.l10n.t(repository.inputBox.value === before ? words.messageThere : words.messageWritten);
  return (await tell('warning', text, replace, vscode.l10n.t(words.keepMine))) === replace;
}

/** Has the changes explained in the chat: those of some files, or all. */
export async function explainChanges(views: ChatViews, argument: unknown, selected: unknown[]): Promise<void> {
  const states = [argument, ...selected].flat().filter(isResource);
  const { rootUri } = await repositoryOf(states[0]?.resourceUri ?? (argument as SourceControl | undefined)?.rootUri);
  const files = [...new Set(states.map(({ resourceUri }) => resourceUri.toString()))];
  await views.send({ type: 'task', command: 'emendo.explainChanges', argument: { uri: rootUri.toString(), files } }, false);
}

function isResource(value: unknown): value is ResourceState {
  return (value as ResourceState | undefined)?.resourceUri instanceof vscode.Uri;
}

async function repositoryOf(uri: vscode.Uri | undefined): Promise<Repository> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension) {
    throw new Error(vscode.l10n.t(words.noGit));
  }
  const api = (await extension.activate()).getAPI(1);
  const wanted = uri ?? vscode.window.activeTextEditor?.document.uri;
  const repository = (wanted && api.getRepository(wanted)) ?? api.repositories[0];
  if (!repository) {
    throw new Error(vscode.l10n.t(words.noRepository));
  }
  return repository;
}
