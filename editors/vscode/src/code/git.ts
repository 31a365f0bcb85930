import * as vscode from 'vscode';
import type { ChatViews } from '../chat/views';
import { label } from '../chat/context';
import type { Questions } from '../questions';
import type { Server } from '../server/server';
import type { Chip } from '../shared/messages';
import { aside } from './aside';
import { commitMessage } from './diff';
import { tell } from '../tell';

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
export async function writeCommitMessage(server: Server, questions: Questions, control: SourceControl | undefined): Promise<void> {
  const repository = await repositoryOf(control?.rootUri);
  const diff = await diffOf(server, repository);
  const before = repository.inputBox.value;
  const title = vscode.l10n.t('Emendo writes a commit message');
  const message = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => {
      const text = vscode.l10n.t(
        'Write a commit message for these changes: a subject line of at most 72 characters in the imperative, then, after an empty line, a short body that says why, if that is not obvious. Follow the style of earlier messages where you know it. Answer with the message alone.',
      );
      const prompt = [{ type: 'text' as const, text }, chipOf(repository, diff).block];
      const { answer, stopReason } = await aside({ server, questions, title, mode: 'plan', prompt, token });
      return stopReason === 'end_turn' ? commitMessage(answer) : '';
    },
  );
  if (message !== '' && (await mayReplace(repository, before))) {
    repository.inputBox.value = message;
  }
}

/** Reports whether the text in the input box may be replaced; asks the user if there is any. */
async function mayReplace(repository: Repository, before: string): Promise<boolean> {
  if (repository.inputBox.value.trim() === '') {
    return true;
  }
  const replace = vscode.l10n.t('Replace');
  const text =
    repository.inputBox.value === before
      ? vscode.l10n.t('The box has a commit message already.')
      : vscode.l10n.t('You have written a commit message meanwhile.');
  return (await tell('warning', text, replace, vscode.l10n.t('Keep Mine'))) === replace;
}

/** Has the changes explained in the chat: those of some files, or all. */
export async function explainChanges(server: Server, views: ChatViews, argument: unknown, selected: unknown[]): Promise<void> {
  const states = [argument, ...selected].flat().filter(isResource);
  const repository = await repositoryOf(states[0]?.resourceUri ?? (argument as SourceControl | undefined)?.rootUri);
  const files = [...new Set(states.map(({ resourceUri }) => resourceUri.toString()))];
  const diff = await diffOf(server, repository, files);
  const text = vscode.l10n.t('Explain these changes: what they do, why they may have been made, and what could go wrong. Do not change anything.');
  await views.send({ type: 'compose', text, chips: [chipOf(repository, diff)], send: true, focus: false }, false);
}

function isResource(value: unknown): value is ResourceState {
  return (value as ResourceState | undefined)?.resourceUri instanceof vscode.Uri;
}

function chipOf({ rootUri }: Repository, diff: string): Chip {
  const name = vscode.l10n.t('Changes');
  const resource = { uri: `${rootUri.toString()}#changes`, mimeType: 'text/x-diff', text: diff };
  return {
    id: `changes:${rootUri.toString()}`,
    kind: 'changes',
    label: name,
    detail: label(rootUri) || rootUri.fsPath,
    block: { type: 'resource', resource, _meta: { emendo: { kind: 'changes', label: name } } },
  };
}

/**
 * Asks the server for the changes of some files, or for those that are staged, or for all.
 * It runs nothing that the repository names, and leaves secrets out.
 */
async function diffOf(server: Server, { rootUri }: Repository, files: string[] = []): Promise<string> {
  const params = { uri: rootUri.toString(), of: files.length > 0 ? 'uncommitted' : undefined, files };
  const { text } = await server.request<{ text: string }>('emendo/workspace/diff', params);
  if (text === '') {
    throw new Error(
      files.length > 0
        ? vscode.l10n.t('Git has no changes of this to show: new files are not known to it.')
        : vscode.l10n.t('There are no changes that git knows of: stage new files first.'),
    );
  }
  return text;
}

async function repositoryOf(uri: vscode.Uri | undefined): Promise<Repository> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension) {
    throw new Error(vscode.l10n.t("VS Code's git extension is switched off."));
  }
  const api = (await extension.activate()).getAPI(1);
  const wanted = uri ?? vscode.window.activeTextEditor?.document.uri;
  const repository = (wanted && api.getRepository(wanted)) ?? api.repositories[0];
  if (!repository) {
    throw new Error(vscode.l10n.t('No folder of the workspace is in a repository of git.'));
  }
  return repository;
}
