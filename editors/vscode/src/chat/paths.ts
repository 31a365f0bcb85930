/**
 * Which of the paths and addresses that a view names are opened. The text of a
 * view comes from the model, so nothing in it is trusted.
 */
import * as path from 'node:path';

/** The paths of one platform: node:path, or its posix and win32. */
type Paths = Pick<typeof path, 'isAbsolute' | 'join' | 'normalize' | 'relative' | 'sep'>;

/** Reports whether a path is a folder or below it. Both are absolute. */
export function isWithin(folder: string, file: string, on: Paths = path): boolean {
  const relative = on.relative(folder, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${on.sep}`) && !on.isAbsolute(relative));
}

/** A workspace folder: its path, and its name in the explorer. */
export interface Folder {
  path: string;
  name: string;
}

/**
 * Returns the files that a path may mean, the likeliest first: an absolute one
 * itself, a relative one below each of the folders, as the model writes paths, and
 * below the folder that its first part names, as VS Code writes them if there are
 * several. Paths that lead out of the folders are left out unless `named` has
 * them, and paths on other machines always, because opening those sends the user's
 * credentials there.
 */
export function candidates(given: string, folders: readonly Folder[], named: ReadonlySet<string>, on: Paths = path): string[] {
  if (/^[/\\]{2}/.test(given) || given.includes('\0')) {
    return [];
  }
  const files = on.isAbsolute(given) ? [on.normalize(given)] : [...folders.map(({ path }) => on.join(path, given)), ...belowNamed(given, folders, on)];
  return files.filter((file) => named.has(file) || folders.some(({ path }) => isWithin(path, file, on)));
}

/** Returns what a path means whose first part is the name of a folder, if there are several. */
function belowNamed(given: string, folders: readonly Folder[], on: Paths): string[] {
  const [first, ...rest] = on.normalize(given).split(on.sep);
  return folders.length > 1 ? folders.filter(({ name }) => name === first).map(({ path }) => on.join(path, ...rest)) : [];
}

/** Returns the address if it is one that a browser may open: http or https, without a name and password. */
export function webAddress(href: string): string | undefined {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  const web = url.protocol === 'http:' || url.protocol === 'https:';
  return web && url.username === '' && url.password === '' ? url.href : undefined;
}
