/** Where the problems of files come from: of one, and of all that have any. */
interface Source<Found> {
  of: (uri: string) => Found;
  all: () => Found[];
}

/** Returns the problems of the files that the server names; of all if it names none, by an empty list too. */
export function problemsOf<Found>(uris: string[] | undefined, { of, all }: Source<Found>): Found[] {
  return uris === undefined || uris.length === 0 ? all() : uris.map(of);
}
