import { hash } from 'node:crypto';

/** What a reader has of an artifact. */
interface Begun {
  /** How often it began anew. */
  readonly restarts: number;
  /** Parts that are no text. */
  readonly parts: number;
}

/** Characters of the list in a cursor: about 100 artifacts. */
const MAX_LIST = 1024;
const ENTRY = /^([\w-]{7})(?:\.(\d{1,6}))?(?:~(\d{1,6}))?$/;

/**
 * The artifacts of which a reader has a part: all that the encoding of an event depends on besides the event. It is in
 * the ids of the frames (`<cursor>;<list>`), so that any process continues a stream where another one left it.
 */
export class BegunArtifacts {
  private readonly known = new Map<string, Begun>();

  /** Undefined for a list that is none, or was too long to be written. */
  static read(list: string): BegunArtifacts | undefined {
    const begun = new BegunArtifacts();
    if (list.length > MAX_LIST) return undefined;
    for (const entry of list === '' ? [] : list.split(',')) {
      const [, key, parts = '0', restarts = '0'] = ENTRY.exec(entry) ?? [];
      if (key === undefined) return undefined;
      begun.known.set(key, { parts: Number(parts), restarts: Number(restarts) });
    }
    return begun;
  }

  get(artifactId: string): Begun | undefined {
    return this.known.get(keyOf(artifactId));
  }

  set(artifactId: string, begun: Begun): void {
    this.known.set(keyOf(artifactId), begun);
  }

  clear(): void {
    this.known.clear();
  }

  /** The cursor with the list; with `!` in its place where it is too long: the reader then gets the whole task. */
  within(cursor: string): string {
    const entries = [...this.known].map(
      ([key, { parts, restarts }]) =>
        `${key}${parts === 0 ? '' : `.${String(parts)}`}${restarts === 0 ? '' : `~${String(restarts)}`}`,
    );
    const list = entries.join(',');
    return list === '' ? cursor : `${cursor};${list.length > MAX_LIST ? '!' : list}`;
  }
}

function keyOf(artifactId: string): string {
  return hash('sha256', artifactId, 'base64url').slice(0, 7);
}
