import type { LoadingWait } from '../connection/loading.js';

/** A real server, which keeps its data on the disk, or the one in JavaScript, which forgets it all when it ends. */
export type EmbeddedRedisKind = 'redis' | 'javascript';

export interface EmbeddedRedisOptions {
  /** Folder for what must outlive the service; Redis uses `redis/` in it. Made when missing. */
  readonly dataDir: string;
  /** Server program to use, by path or by name; without it the machine is searched. */
  readonly serverBinary?: string;
  /** May a server be fetched with the distribution's package tools when the machine has none? Default true. */
  readonly allowUnpack?: boolean;
  /** Folder for a server that was fetched; default `.cache/parley` in the home folder. */
  readonly cacheDir?: string;
  /** Insists on one kind; without it a real server is preferred. */
  readonly kind?: EmbeddedRedisKind;
  /** The wait while the server reads its data; at most ten minutes unless it says otherwise. */
  readonly loading?: Partial<LoadingWait>;
  /** Called with one line of text when a step takes long or a fallback is used. */
  readonly onProgress?: (line: string) => void;
}
