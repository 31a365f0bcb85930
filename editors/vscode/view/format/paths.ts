import { visibleLine } from '../../src/shared/visible';

/** The path of a file's URI; other URIs, and paths, stay as they are. */
export function pathOf(uri: string): string {
  if (!uri.startsWith('file:') || !URL.canParse(uri)) {
    return uri;
  }
  try {
    const path = decodeURIComponent(new URL(uri).pathname);
    return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
  } catch {
    return uri;
  }
}

export interface Folder {
  uri: string;
  name: string;
}

/**
 * A URI or path as people know it, on one line: relative to its workspace folder,
 * which is named where there are several. Hidden characters are spelled out.
 */
export function shortPath(uri: string, folders: readonly Folder[]): string {
  const path = pathOf(uri);
  for (const { uri: folder, name } of folders) {
    const root = pathOf(folder).replace(/\/$/, '');
    const prefix = folders.length > 1 ? `${name}/` : '';
    if (path === root) {
      return visibleLine(prefix === '' ? './' : prefix);
    }
    if (path.startsWith(`${root}/`)) {
      return visibleLine(prefix + path.slice(root.length + 1));
    }
  }
  return visibleLine(path);
}

/**
 * The last part of a file's label, for where there is little room, behind the name
 * of its workspace folder if there are several.
 */
export function shortLabel(label: string, several: boolean): string {
  const parts = label.split('/');
  const last = parts.at(-1)!;
  return !several || parts.length < 2 || parts[0] === '' ? last : [parts[0], ...(parts.length > 2 ? ['…'] : []), last].join('/');
}
