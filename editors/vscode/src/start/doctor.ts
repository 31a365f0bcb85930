import * as vscode from 'vscode';
import { execFile } from 'node:child_process';
import { keySecret, type Launch } from '../server/launch';
import { startError } from '../server/start_error';
import type { Server } from '../server/server';
import { inVsCode, readReport, reportMarkdown, type Facts } from './doctor_report';
import { words } from '../shared/words';

const scheme = 'emendo-doctor';

/** How long the checks may take, in milliseconds: one of them asks the provider. */
const timeout = 60_000;

/** Runs the program's own checks, and shows what they found as a document. */
export class Doctor implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private text = '';
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly launch: Launch,
  ) {}

  provideTextDocumentContent(): string {
    return this.text;
  }

  dispose(): void {
    this.registered.dispose();
    this.changes.dispose();
  }

  /** Checks, the provider included if `online`, and shows the report. */
  async run(online: boolean): Promise<void> {
    const printed = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t(words.checking) }, () => this.check(online));
    const report = readReport(printed);
    if (!report) {
      throw new Error(vscode.l10n.t(words.noReport, printed.slice(0, 500)));
    }
    this.text = reportMarkdown(inVsCode(report, this.launch.trust === 'trusted', vscode.l10n.t), this.facts());
    const uri = vscode.Uri.from({ scheme, path: `/${words.reportName}` });
    this.changes.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  }

  private async check(online: boolean): Promise<string> {
    const key = await this.context.secrets.get(keySecret);
    const { command, args, env, cwd } = this.launch.program(['doctor', '--json', ...(online ? ['--online'] : [])], key);
    return new Promise((resolve, reject) => {
      execFile(command, args, { env, cwd, timeout, windowsHide: true }, (error, stdout, stderr) => {
        if (stdout !== '') {
          resolve(stdout); // the status says whether emendo is usable, and so does the report
        } else {
          reject(error ? startError(stderr.trim() === '' ? error : new Error(stderr.trim()), command) : new Error(stderr));
        }
      });
    });
  }

  private facts(): Facts {
    const { state } = this.server;
    return [
      ['VS Code', `${vscode.env.appName} ${vscode.version}`],
      [vscode.l10n.t('extension'), String(this.context.extension.packageJSON.version)],
      [vscode.l10n.t('machine'), `${process.platform}-${process.arch}${vscode.env.remoteName ? ` (${vscode.env.remoteName})` : ''}`],
      [vscode.l10n.t('program'), this.launch.program([], undefined).command],
      [vscode.l10n.t('server'), 'message' in state ? `${state.state}: ${state.message}` : state.state],
    ];
  }
}
