import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chip } from '../shared/messages';

/** The bytes of all files. The oldest are deleted first. */
const most = 64 << 20;
/** A file that no draft names is deleted when it is this old: its draft may be stored in a moment. In milliseconds. */
const grace = 60 * 60 * 1000;

/**
 * Chips of drafts that are too large for the state of the workspace, which is
 * read whole with every window: pictures. Each is a file.
 */
export class LargeChips {
  private last: Promise<unknown> = Promise.resolve();

  /** `folder` is made with the first chip; `limit` is for tests. */
  constructor(
    private readonly folder: string,
    private readonly limit = most,
  ) {}

  /** Stores a chip under a key. */
  keep(key: string, chip: Chip): Promise<void> {
    return this.next(async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const path = this.path(key);
      await writeFile(`${path}.new`, JSON.stringify(chip), { mode: 0o600 });
      await rename(`${path}.new`, path);
      let bytes = 0;
      for (const file of (await this.files()).reverse()) {
        bytes += file.size;
        if (bytes > this.limit && file.key !== key) {
          await rm(file.path, { force: true });
        }
      }
    });
  }

  /** Returns those of the chips that are still there. */
  read(keys: readonly string[]): Promise<{ key: string; chip: Chip }[]> {
    return this.next(async () => {
      const found: { key: string; chip: Chip }[] = [];
      for (const key of keys) {
        try {
          found.push({ key, chip: JSON.parse(await readFile(this.path(key), 'utf8')) as Chip });
        } catch {
          // It was deleted: the draft is without it.
        }
      }
      return found;
    });
  }

  /** Deletes the chips that no draft names. */
  prune(named: ReadonlySet<string>, now: number): Promise<void> {
    return this.next(async () => {
      for (const file of await this.files()) {
        if (!named.has(file.key) && now - file.at > grace) {
          await rm(file.path, { force: true });
        }
      }
    });
  }

  /** The files, the oldest first. */
  private async files(): Promise<{ key: string; path: string; size: number; at: number }[]> {
    const names = await readdir(this.folder).catch((): string[] => []);
    const files = await Promise.all(
      names.map(async (key) => {
        const path = join(this.folder, key);
        const { size, mtimeMs } = await stat(path);
        return { key, path, size, at: mtimeMs };
      }),
    );
    return files.sort((a, b) => a.at - b.at);
  }

  private path(key: string): string {
    if (!/^[\w-]{1,64}$/.test(key)) {
      throw new Error(`invalid key: ${key}`);
    }
    return join(this.folder, key);
  }

  /** Runs one thing after the other: what is being written can be read. */
  private next<T>(run: () => Promise<T>): Promise<T> {
    const result = this.last.then(run);
    this.last = result.catch(() => {});
    return result;
  }
}
