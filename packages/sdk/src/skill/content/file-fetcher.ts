/** Detected content of a file at an address. */
export interface FetchedFile {
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
}

/**
 * Gets the file behind a `url` part. The service provides it, and its operator decides which addresses are allowed; a
 * skill never opens a connection to an address that a caller gave. Inject it by this token.
 */
export interface FileFetcher {
  /**
   * Gives up beyond `maxBytes` and when the signal aborts. Rejects when the file cannot be had; the reason is for the
   * log, and the caller learns only that it failed.
   */
  fetch(url: string, limits: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<FetchedFile>;
}

export const FileFetcher = Symbol('FileFetcher');
