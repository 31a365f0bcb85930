import * as vscode from 'vscode';
import { PathError } from './launch';

/** Turns what went wrong at the start of a program into an error that says what to do. */
export function startError(thrown: unknown, command: string): Error {
  if (thrown instanceof PathError) {
    return thrown;
  }
  const tell = (message: string): Error => new PathError(message);
  switch (thrown) {
    case 'no-server':
      return tell(vscode.l10n.t('"{0}" is not emendo, or older than this extension can use. Install a newer one, or clear the setting emendo.path.', command));
    case 'too-old':
      return tell(vscode.l10n.t('"{0}" is too old for this extension. Install a newer one, or clear the setting emendo.path.', command));
    case 'too-new':
      return tell(vscode.l10n.t('"{0}" is too new for this extension: update the extension, or clear the setting emendo.path.', command));
  }
  const { code, message } = thrown as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return tell(vscode.l10n.t('"{0}" cannot be started: it, or what it needs to run, is missing.', command));
    case 'EACCES':
    case 'EPERM':
      return tell(vscode.l10n.t('"{0}" cannot be started: the system does not allow it.', command));
    case 'ENOEXEC':
    case 'EFTYPE':
    case 'UNKNOWN':
    case 'Unknown system error -8':
    case 'Unknown system error -86':
      return tell(
        vscode.l10n.t('"{0}" is no program for this machine, which is {1}. Install the package of the extension for it.', command, `${process.platform}-${process.arch}`),
      );
  }
  return new Error(command === '' ? message : vscode.l10n.t('"{0}" cannot be used. {1}', command, message));
}
