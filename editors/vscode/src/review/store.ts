import type { Fold } from '../shared/fold';
import type { HunkView, Item } from '../shared/view';
import type { Range } from '../shared/wire';

/** A hunk that waits for the user, with its file. */
export interface ReviewHunk extends HunkView {
  file: Item;
  /** The file's URI, spelled as the editor spells it. */
  uri: string;
}

/** A file with hunks that wait, by line. */
export interface ReviewFile {
  uri: string;
  item: Item;
  hunks: readonly ReviewHunk[];
}

type State = HunkView['state'];

/** The hunks of the window's view, by their files. It holds what the server says and decides nothing. */
export class HunkStore {
  /** In the order of review. */
  files: readonly ReviewFile[] = [];
  private byId = new Map<string, ReviewHunk>();
  private byUri = new Map<string, ReviewFile>();
  private readonly made = new WeakMap<HunkView, ReviewHunk>();

  /** `spell` returns a URI as the editor spells it. */
  constructor(private readonly spell: (uri: string) => string) {}

  /** Takes the window's view, and returns the URIs of the files whose hunks are not as before. */
  take({ items, below, hunks }: Pick<Fold, 'items' | 'below' | 'hunks'>): Set<string> {
    const before = this.byUri;
    const files = (below.get('') ?? []).flatMap((id) => {
      const item = items.get(id);
      return item?.kind === 'file' && item.place ? [{ uri: this.spell(item.place.uri), item, hunks: [] as ReviewHunk[] }] : [];
    });
    const byItem = new Map(files.map((file) => [file.item.id, file]));
    this.byId = new Map();
    for (const view of hunks.values()) {
      const file = byItem.get(view.fileId);
      if (file) {
        const was = this.made.get(view);
        const hunk = was?.file === file.item ? was : { ...view, file: file.item, uri: file.uri };
        this.made.set(view, hunk);
        this.byId.set(view.id, hunk);
        file.hunks.push(hunk);
      }
    }
    files.forEach(({ hunks }) => hunks.sort((a, b) => compare(a.range, b.range)));
    this.files = files;
    this.byUri = new Map(files.map((file) => [file.uri, file]));
    const changed = new Set([...before.keys()].filter((uri) => !this.byUri.has(uri)));
    for (const { uri, hunks } of files) {
      const were = before.get(uri)?.hunks;
      if (were?.length !== hunks.length || hunks.some((hunk, i) => hunk !== were[i])) {
        changed.add(uri);
      }
    }
    return changed;
  }

  file(uri: string): ReviewFile | undefined {
    return this.byUri.get(uri);
  }

  hunk(id: string): ReviewHunk | undefined {
    return this.byId.get(id);
  }

  /** Returns a file's hunks in these states, by line. */
  hunks(uri: string, ...states: State[]): readonly ReviewHunk[] {
    const hunks = this.byUri.get(uri)?.hunks ?? [];
    return states.length === 0 ? hunks : hunks.filter(({ state }) => states.includes(state));
  }

  /** Returns all pending hunks, in the order of review. */
  get pending(): ReviewHunk[] {
    return this.files.flatMap(({ hunks }) => hunks.filter(({ state }) => state === 'pending'));
  }
}

function compare(a: Range, b: Range): number {
  return a.start.line - b.start.line || a.end.line - b.end.line;
}
