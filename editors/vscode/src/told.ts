import * as vscode from 'vscode';
import { tell } from './tell';

/**
 * Registers commands. What goes wrong is told in a notice: VS Code would put a
 * dialog before everything else.
 */
export function registerCommands(log: vscode.LogOutputChannel, commands: Record<string, (...args: never[]) => unknown>): vscode.Disposable {
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        return await run(...(args as never[]));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        log.error(`${name}: ${message}`);
        void tell('error', message);
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
