import * as vscode from 'vscode';
import { mkdirSync } from 'node:fs';
import type { ConnectOptions, Program } from './connection';
import { environment } from './environment';
import { bundledProgram, findProgram, type Found } from './program';
import { serverSettings, userValues, workspaceValues, type Inspected, type ServerSetting } from './values';
import { words } from '../shared/words';

/** The name of the user's key in the secret storage. */
export const keySecret = 'emendo.geminiApiKey';

/** An error of the setting emendo.path, for the user. */
export class PathError extends Error {}

/** What a server is started with. */
export type LaunchOptions = Pick<ConnectOptions, 'command' | 'args' | 'env' | 'cwd' | 'settings' | 'trust' | 'workspaceSettings'>;

/** Finds out how to start the server, for each start again. */
export class Launch {
  private readonly settings: ServerSetting[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.settings = serverSettings(context.extension.packageJSON);
  }

  /** Says why there is nothing that a server can work with; undefined when there is. */
  unsupported(): string | undefined {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (folders.length === 0 || folders.some(({ uri }) => uri.scheme === 'file')) {
      return undefined;
    }
    return vscode.l10n.t(words.virtualWorkspace, folders[0]!.uri.scheme);
  }

  async options(): Promise<LaunchOptions> {
    const key = await this.context.secrets.get(keySecret);
    return {
      ...this.program(['lsp', `--clientProcessId=${process.pid}`], key),
      settings: this.userSettings(),
      trust: this.trust,
      workspaceSettings: () => workspaceValues(this.settings, inspector()),
    };
  }

  /** What the user has set; never what a workspace has. */
  userSettings(): Record<string, unknown> {
    return userValues(this.settings, inspector());
  }

  /** Folder trust is the workspace's. Without a folder there is nothing to trust. */
  get trust(): 'trusted' | 'restricted' {
    return vscode.workspace.isTrusted && hasFolder() ? 'trusted' : 'restricted';
  }

  /** The program with its arguments, folder and environment. It throws an error for the user if there is none. */
  program(args: string[], key: string | undefined): Program {
    const found = this.find();
    if ('missing' in found) {
      throw new PathError(explain(found));
    }
    const configured = vscode.workspace.getConfiguration('emendo').get<Record<string, unknown>>('env', {});
    const debug = this.log.logLevel !== vscode.LogLevel.Off && this.log.logLevel <= vscode.LogLevel.Debug;
    return {
      command: found.path,
      args: args[0] === 'lsp' && debug ? [...args, '--debug'] : args,
      env: environment(process.env, configured, key),
      cwd: this.folder(),
    };
  }

  private find(): Found {
    const named = vscode.workspace.getConfiguration('emendo').get<string>('path', '').trim();
    if (named !== '') {
      return findProgram(named, process);
    }
    const bundled = bundledProgram(this.context.extensionPath, process);
    if (!('missing' in bundled) || bundled.missing !== 'nothing') {
      return bundled;
    }
    const found = findProgram('emendo', process);
    return 'missing' in found ? { path: machine, missing: 'nothing' } : found;
  }

  /** The first folder of the workspace; without one an empty folder of the extension's own. */
  private folder(): string {
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
    if (folder) {
      return folder.uri.fsPath;
    }
    const empty = vscode.Uri.joinPath(this.context.globalStorageUri, 'no-folder').fsPath;
    mkdirSync(empty, { recursive: true });
    return empty;
  }
}

/** The machine's name, as packages of the extension have it. */
const machine = `${process.platform}-${process.arch}`;

/** Whether the workspace has a folder on a disk. */
export function hasFolder(): boolean {
  return vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file') ?? false;
}

function inspector(): (name: string) => Inspected | undefined {
  const configuration = vscode.workspace.getConfiguration('emendo', vscode.workspace.workspaceFolders?.[0]);
  return (name) => configuration.inspect(name);
}

function explain({ path, missing }: { path: string; missing: string }): string {
  switch (missing) {
    case 'relative':
      return vscode.l10n.t(words.pathRelative, path);
    case 'not-on-path':
      return vscode.l10n.t(words.pathUnknown, path);
    case 'folder':
      return vscode.l10n.t(words.pathFolder, path);
    case 'foreign':
      return vscode.l10n.t(words.foreign, path, machine);
    case 'not-executable':
      return vscode.l10n.t(words.notExecutable, path);
  }
  if (/[\\/]/.test(path)) {
    return vscode.l10n.t(words.pathMissing, path);
  }
  return vscode.l10n.t(words.notBundled, path);
}
