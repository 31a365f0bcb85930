/** An empty profile: a folder for everything that VS Code and emendo write. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface ProfileOptions {
  /** The workspace's files by path. The workspace is a git repository. */
  files?: Record<string, string>;
  /** The user's settings, beside those that keep VS Code quiet. */
  settings?: Record<string, unknown>;
  /** Environment variables; undefined removes one. */
  env?: Record<string, string | undefined>;
}

/** Settings that keep VS Code from covering the window, asking, and calling out. */
const quiet = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'window.commandCenter': false,
  'editor.minimap.enabled': false,
  'editor.cursorBlinking': 'solid',
  'workbench.reduceMotion': 'on',
  'files.autoSave': 'off',
  'remote.autoForwardPorts': false,
  'files.hotExit': 'onExitAndWindowClose',
  'git.openRepositoryInParentFolders': 'never',
  'security.workspace.trust.enabled': false,
  'emendo.edits.wait': 'always', // most journeys decide while the call waits; those about the default set it
  'emendo.tools.shell.ask': 'always', // the tests of questions need some, also where a sandbox holds commands
  'emendo.languageServers.enabled': false, // those of the machine would change what edits report
};

export class Profile {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'emendo-e2e-')));
  readonly workspace = this.path('parking');
  readonly data = this.path('data');
  readonly config = this.path('config.yaml');
  readonly portFile = this.path('port');
  readonly env: NodeJS.ProcessEnv;

  constructor(options: ProfileOptions) {
    for (const folder of ['home', 'run', 'parking', 'data/User']) {
      mkdirSync(this.path(folder), { recursive: true, mode: 0o700 });
    }
    writeFileSync(this.path('data/User/settings.json'), JSON.stringify({ ...quiet, ...options.settings }, null, 2));
    writeFileSync(this.config, 'auth: none\ncert: false\n');
    for (const [name, text] of Object.entries(options.files ?? {})) {
      this.write(name, text);
    }
    this.env = {
      HOME: this.path('home'),
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      TMPDIR: tmpdir(),
      XDG_RUNTIME_DIR: this.path('run'),
      EMENDO_HOME: this.path('emendo'),
      EMENDO_TESTS_PORT: this.portFile,
      ...options.env,
    };
    execFileSync('git', ['init', '-q', '-b', 'main', '.'], { cwd: this.workspace, env: this.env });
  }

  private path(name: string): string {
    return join(this.folder, name);
  }

  /** The absolute path of a file of the workspace. */
  file(name: string): string {
    return join(this.workspace, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.file(name)), { recursive: true });
    writeFileSync(this.file(name), text);
  }

  /** The text of a file of the workspace on disk; undefined if there is none. */
  read(name: string): string | undefined {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), 'utf8') : undefined;
  }

  /** Runs emendo in the workspace, as in a terminal, and returns its output. */
  emendo(program: string, ...args: string[]): string {
    return execFileSync(program, args, { cwd: this.workspace, env: this.env, encoding: 'utf8' });
  }

  /** The texts of the logs that VS Code keeps under a name. */
  logs(name: string): string[] {
    const folder = join(this.data, 'logs');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => basename(path) === name)
      .map((path) => readFileSync(join(folder, path), 'utf8'));
  }

  /** The processes of this profile's emendo servers. */
  servers(): number[] {
    const mine = `EMENDO_HOME=${this.env['EMENDO_HOME']}`;
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
          return /(^|\/)emendo$/.test(words[0]!) && words[1] === 'lsp' && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mine);
        } catch {
          return false; // it has ended
        }
      })
      .map(Number);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
