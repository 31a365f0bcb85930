import * as vscode from 'vscode';
import { PathError } from './launch';
import { words } from '../shared/words';

/** Turns what went wrong at the start of a program into an error that says what to do. */
export function startError(thrown: unknown, command: string): Error {
  if (thrown instanceof PathError) {
    return thrown;
  }
  const tell = (message: string): Error => new PathError(message);
  switch (thrown) {
    case 'no-server':
      return tell(vscode.l10n.t(words.notEmendo, command));
    case 'too-old':
      return tell(vscode.l10n.t(words.tooOld, command));
    case 'too-new':
      return tell(vscode.l10n.t(words.tooNew, command));
  }
  const { code, message } = thrown as NodeJS.ErrnoException;
  switch (/^Unknown system error -(?:8|86)$/.test(code ?? '') ? 'ENOEXEC' : code) {
    case 'ENOENT':
      return tell(vscode.l10n.t(words.incomplete, command));
    case 'EACCES':
    case 'EPERM':
      return tell(vscode.l10n.t(words.forbidden, command));
    case 'ENOEXEC':
    case 'EFTYPE':
    case 'UNKNOWN':
      return tell(vscode.l10n.t(words.foreign, command, `${process.platform}-${process.arch}`));
  }
  return new Error(command === '' ? message : vscode.l10n.t(words.unusable, command, message));
}
