import * as vscode from 'vscode';
import type { Questions } from '../questions';
import type { Launch } from '../server/launch';
import type { Server } from '../server/server';
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
  questions: Questions;
  log: vscode.LogOutputChannel;
}

/** Registers the status bar, and the commands to sign in and to find out what is wrong. */
export function registerStart(context: vscode.ExtensionContext, { server, launch, questions, log }: Around): StatusBar {
  const bar = new StatusBar(server, questions);
  const signIn = new SignIn(context, server, launch, log, () => bar.status?.kind === 'busy');
  const doctor = new Doctor(context, server, launch);
  const run = (command: string, ...args: unknown[]) => vscode.commands.executeCommand(command, ...args);
  const commands: Record<string, (...args: never[]) => unknown> = {
    'emendo.menu': () => showMenu(server, bar, signIn),
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
  return bar;
}
