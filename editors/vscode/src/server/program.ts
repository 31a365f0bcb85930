import { accessSync, chmodSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

/** Why there is no program to start. */
export type Missing = 'nothing' | 'folder' | 'not-executable' | 'foreign' | 'relative' | 'not-on-path';

/** A program, or why there is none; `path` is what was looked for. */
export type Found = { path: string } | { path: string; missing: Missing };

/** The machine, as Node names it, and its environment. */
export interface Machine {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  arch: string;
}

/**
 * Finds the program that a setting names: an absolute path, one that begins with
 * ~/, or a name that is looked for on PATH.
 */
export function findProgram(named: string, machine: Machine): Found {
  const { env, platform } = machine;
  const path = named.startsWith('~/') ? join(homedir(), named.slice(2)) : named;
  if (isAbsolute(path)) {
    return check(path, machine);
  }
  if (/[\\/]/.test(path)) {
    return { path, missing: 'relative' };
  }
  const endings = platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE').split(';')] : [''];
  // On Windows the name of the variable is written in several ways.
  const searched = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  for (const folder of searched.split(delimiter).filter(isAbsolute)) {
    for (const ending of endings) {
      const found = check(join(folder, path + ending), machine);
      if (!('missing' in found)) {
        return found;
      }
    }
  }
  return { path, missing: 'not-on-path' };
}

/** Returns the program that the extension brings, and makes it executable if it is not. */
export function bundledProgram(extension: string, machine: Machine): Found {
  const path = join(extension, 'bin', machine.platform === 'win32' ? 'emendo.exe' : 'emendo');
  const found = check(path, machine);
  if (!('missing' in found) || found.missing !== 'not-executable') {
    return found;
  }
  try {
    chmodSync(path, 0o755); // what unpacked the extension has lost the mode
    return check(path, machine);
  } catch {
    return found;
  }
}

function check(path: string, machine: Machine): Found {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) {
    return { path, missing: 'nothing' };
  }
  if (file.isDirectory()) {
    return { path, missing: 'folder' };
  }
  try {
    accessSync(path, constants.X_OK);
    return foreign(path, machine) ? { path, missing: 'foreign' } : { path };
  } catch {
    return { path, missing: 'not-executable' };
  }
}

/** The numbers of processors in programs for Linux, by Node's names of them. */
const processors: Record<string, number> = { x64: 62, arm64: 183 };

/**
 * Reports whether a program is for another system or processor. The system's own
 * error cannot be relied on: Node then has a shell read the program.
 */
function foreign(path: string, { platform, arch }: Machine): boolean {
  const bytes = new Uint8Array(20);
  const head = new DataView(bytes.buffer);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
  const elf = head.getUint32(0) === 0x7f454c46;
  const mac = [0xcffaedfe, 0xcafebabe].includes(head.getUint32(0));
  const windows = head.getUint16(0) === 0x4d5a;
  switch (platform) {
    case 'linux':
      return mac || windows || (elf && processors[arch] !== undefined && head.getUint16(18, true) !== processors[arch]);
    case 'darwin':
      return elf || windows;
    case 'win32':
      return elf || mac;
    default:
      return false;
  }
}
