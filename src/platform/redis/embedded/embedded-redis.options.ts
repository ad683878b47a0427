import type { LoadingWait } from '../connection/loading.js';

/** A real server with its data on disk, or the one in JavaScript, which loses its data when it ends. */
export type EmbeddedRedisKind = 'redis' | 'javascript';

export interface EmbeddedRedisOptions {
  /** Folder for persistent data; Redis uses `redis/` in it. Created if missing. */
  readonly dataDir: string;
  /** Server program to use, by path or by name; without it the machine is searched. */
  readonly serverBinary?: string;
  /** May a server be fetched with the distribution's package tools when the machine has none? Default true. */
  readonly allowUnpack?: boolean;
  /** Folder for a server that was fetched; default `.cache/parley` in the home folder. */
  readonly cacheDir?: string;
  /** Requires one kind; absent: a real server is preferred. */
  readonly kind?: EmbeddedRedisKind;
  /** Bounds of the wait while the server loads its data; default: at most ten minutes. */
  readonly loading?: Partial<LoadingWait>;
  /** Called with one line of text when a step takes long or a fallback is used. */
  readonly onProgress?: (line: string) => void;
}
