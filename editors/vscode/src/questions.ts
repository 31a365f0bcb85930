import * as vscode from 'vscode';
import type { AskedQuestion } from './shared/messages';
import type { ElicitAnswer, ElicitRequest, PermissionAnswer, PermissionRequest } from './shared/wire';
import type { Server } from './server/server';

type Answer = PermissionAnswer | ElicitAnswer;

/** A question that has no number yet. */
type What = Pick<Extract<AskedQuestion, { kind: 'permission' }>, 'kind' | 'request' | 'plan'> | Pick<Extract<AskedQuestion, { kind: 'elicit' }>, 'kind' | 'request'>;

/**
 * The questions that the server waits for. Whoever answers first, a view, a
 * notice or a command, withdraws them elsewhere.
 */
export class Questions implements vscode.Disposable {
  private readonly asking = new vscode.EventEmitter<AskedQuestion>();
  readonly onDidAsk = this.asking.event;
  private readonly withdrawing = new vscode.EventEmitter<number>();
  /** Fires with the number of a question that was answered or withdrawn. */
  readonly onDidClose = this.withdrawing.event;
  private readonly changes = new vscode.EventEmitter<void>();
  /** Fires after `all` has changed. */
  readonly onDidChange = this.changes.event;

  private readonly open = new Map<number, { asked: AskedQuestion; answer: (answer: Answer) => void }>();
  private last = 0;
  /** What the sessions beside the conversations are for. */
  private readonly asides = new Map<string, string>();

  constructor(server: Server) {
    server.onRequest<PermissionRequest, Answer>('emendo/session/requestPermission', async (request, token) => {
      const plan = await readPlan(request);
      return this.ask({ kind: 'permission', request, ...plan }, { outcome: 'cancelled' }, token);
    });
    server.onRequest<ElicitRequest, Answer>('emendo/session/elicit', (request, token) =>
      this.ask({ kind: 'elicit', request }, { cancelled: true }, token),
    );
    server.onDidChangeState(({ state }) => {
      if (state !== 'running') {
        this.withdrawAll();
      }
    });
  }

  /** The questions that are open, the oldest first. */
  get all(): AskedQuestion[] {
    return [...this.open.values()].map(({ asked }) => asked);
  }

  /** Notes what a session beside the conversations is for, until that is disposed of. */
  beside(sessionId: string, title: string): vscode.Disposable {
    this.asides.set(sessionId, title);
    return new vscode.Disposable(() => this.asides.delete(sessionId));
  }

  /** The question with a number, while it is open. */
  find(question: number): AskedQuestion | undefined {
    return this.open.get(question)?.asked;
  }

  /** Answers a question; one that is closed already stays as it was answered. */
  answer(question: number, answer: Answer): void {
    this.open.get(question)?.answer(answer);
  }

  dispose(): void {
    this.withdrawAll();
    this.asking.dispose();
    this.withdrawing.dispose();
    this.changes.dispose();
  }

  private ask(what: What, withdrawn: Answer, token: vscode.CancellationToken): Promise<Answer> {
    const aside = this.asides.get(what.request.sessionId);
    const asked: AskedQuestion = { ...what, question: ++this.last, ...(aside !== undefined && { aside }) };
    return new Promise((resolve) => {
      const answer = (answer: Answer): void => {
        if (this.open.delete(asked.question)) {
          cancelled.dispose();
          this.withdrawing.fire(asked.question);
          this.changes.fire();
          resolve(answer);
        }
      };
      if (token.isCancellationRequested) {
        resolve(withdrawn);
        return;
      }
      const cancelled = token.onCancellationRequested(() => answer(withdrawn));
      this.open.set(asked.question, { asked, answer });
      this.asking.fire(asked);
      this.changes.fire();
    });
  }

  /** Answers everything as cancelled: nobody waits for it any more. */
  private withdrawAll(): void {
    for (const { asked, answer } of [...this.open.values()]) {
      answer(asked.kind === 'permission' ? { outcome: 'cancelled' } : { cancelled: true });
    }
  }
}

/** A longer plan is opened in the editor alone, bytes. */
const mostPlan = 512 * 1024;

/** Reads the plan that a question is about, to be shown with it. */
async function readPlan({ preview }: PermissionRequest): Promise<{ plan?: string }> {
  if (preview?.planUri === undefined) {
    return {};
  }
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(preview.planUri, true));
    return bytes.length > mostPlan ? {} : { plan: new TextDecoder().decode(bytes) };
  } catch {
    return {}; // the question can be answered without it, and the plan opened
  }
}
