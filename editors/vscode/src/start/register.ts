import * as vscode from 'vscode';
import type { Launch } from '../server/launch';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import { registerCommands } from '../told';
import { Doctor } from './doctor';
import { tellFailures } from './failures';
import { showMenu } from './menu';
import { SignIn } from './signin';
import { StatusBar } from './status';

/** What the commands around the start of the server work with. */
export interface Around {
  server: Server;
  launch: Launch;
  /** The server's views. */
  open: ServerViews;
  log: vscode.LogOutputChannel;
}

/** Registers the status bar, and the commands to sign in and to find out what is wrong. */
export function registerStart(context: vscode.ExtensionContext, { server, launch, open, log }: Around): void {
  const bar = new StatusBar(server, open);
  const signIn = new SignIn(context, server, launch, log, () => bar.idle());
  const doctor = new Doctor(context, server, launch);
  const run = (command: string, ...args: unknown[]) => vscode.commands.executeCommand(command, ...args);
  const commands: Record<string, (...args: never[]) => unknown> = {
    'emendo.menu': () => showMenu(server, open, signIn),
    'emendo.openChat': () => run('emendo.chat.focus'),
    'emendo.signIn': () => signIn.signIn(),
    'emendo.signOut': () => signIn.signOut(),
    'emendo.otherProviders': () => signIn.others(),
    'emendo.trust': () => run('workbench.trust.manage'),
    'emendo.doctor': () => doctor.run(false),
    'emendo.doctorOnline': () => doctor.run(true),
    'emendo.showLog': () => log.show(),
    'emendo.restartServer': () => server.restart().catch(() => {}), // tellFailures tells
    'emendo.settings': () => run('workbench.action.openSettings', `@ext:${context.extension.id}`),
    'emendo.walkthrough': () => run('workbench.action.openWalkthrough', `${context.extension.id}#start`, false),
  };
  context.subscriptions.push(
    bar,
    signIn,
    doctor,
    tellFailures(server, log),
    registerCommands(log, commands),
  );
}
