import * as vscode from 'vscode';
import type { Steps } from './chat/steps';
import type { ChatViews } from './chat/views';
import type { Server } from './server/server';
import type { ServerViews } from './server/views';
import type { Acted, Action, Text } from './shared/view';
import { words } from './shared/words';
import { registerCommands } from './told';

/** An entry of a list; one without an id stands for a file that defines nothing. */
interface Entry {
  id?: string;
  label: Text;
  note?: Text;
  actions?: Action[];
}

/** The answer of a request for a list. */
interface List {
  title: Text;
  /** Says that it is empty. */
  none?: Text;
  entries?: Entry[];
  rules?: Entry[];
}

interface Row<T> extends vscode.QuickPickItem {
  value?: T;
}

/** The lists of what sessions use, by the requests for them. */
const lists: [request: string, label: string][] = [
  ['emendo/mcp/list', words.servers],
  ['emendo/subagents/list', words.agents],
  ['emendo/skills/list', words.skills],
  ['emendo/hooks/list', words.hooks],
  ['emendo/policy/list', words.rules],
];

/** Registers the command that shows the lists. */
export function registerLists({ server, open, steps, views, log }: { server: Server; open: ServerViews; steps: Steps; views: ChatViews; log: vscode.LogOutputChannel }): vscode.Disposable {
  /** Does what the user chose, and returns what was said of it; nothing if a step shows something else now. */
  const act = async (id: string, action: Action): Promise<string | undefined> => {
    const { steps: todo, notice }: Acted = action.steps ? { steps: action.steps } : await open.act({ id, actionId: action.id, version: open.window.version });
    await steps.run(todo ?? []);
    return todo ? undefined : (notice?.title.text ?? '');
  };
  /** Shows a list, and again after each action with what that has done, until the user leaves it. */
  const show = async (request: string, said = '', last?: string): Promise<void> => {
    const { title, none, entries = [], rules = entries } = await server.request<List>(request, views.sessionId === undefined ? {} : { sessionId: views.sessionId });
    const rows = rules.map((entry): Row<Entry> => ({ label: `${entry.id ? '' : '$(warning) '}${entry.label.text}`, detail: entry.note?.text ?? '', value: entry }));
    const entry = await pick(title.text, said, rows.length > 0 ? rows : [{ label: none?.text ?? '' }], ({ value }) => value?.id === last);
    if (!entry?.id) {
      return;
    }
    const { id, label, note, actions = [] } = entry;
    const action = await pick(label.text, note?.text ?? '', actions.map((value): Row<Action> => ({ label: value.title.text, value })));
    const done = action ? await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: action.title.text }, () => act(id, action)) : '';
    if (done !== undefined) {
      await show(request, done, id);
    }
  };
  return registerCommands(log, {
    'emendo.lists': async () => {
      const request = await pick('Emendo', '', lists.map(([value, label]): Row<string> => ({ label: vscode.l10n.t(label), value })));
      await (request && show(request));
    },
  });
}

/** Has the user choose a row. */
function pick<T>(title: string, placeholder: string, items: Row<T>[], first: (row: Row<T>) => boolean = () => false): Promise<T | undefined> {
  const picker = vscode.window.createQuickPick<Row<T>>();
  Object.assign(picker, { title, placeholder, items, matchOnDetail: true });
  picker.activeItems = items.filter(first);
  picker.show();
  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]?.value);
      picker.dispose();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      picker.dispose();
    });
  });
}
