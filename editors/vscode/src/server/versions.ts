/** The version of the wire that this extension speaks: docs/protocol.md, Initialize. */
export const wireVersion = 1;

/** Why a server cannot be used; undefined when it can. */
export type Mismatch = 'no-server' | 'too-old' | 'too-new' | undefined;

/** Compares what a server said of itself with what the extension needs. */
export function mismatch(abilities: { version?: unknown } | undefined): Mismatch {
  const version = abilities?.version;
  if (typeof version !== 'number') {
    return 'no-server';
  }
  if (version === wireVersion) {
    return undefined;
  }
  return version < wireVersion ? 'too-old' : 'too-new';
}
