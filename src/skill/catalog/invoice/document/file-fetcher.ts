/** What a file at an address turned out to be. */
export interface FetchedFile {
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
}

/**
 * Gets the file behind a `url` part. Who implements it decides which addresses are allowed; the invoice skills never
 * open a connection themselves. It must give up beyond `maxBytes` and when the signal aborts.
 */
export interface FileFetcher {
  /** Rejects when the file cannot be had; the reason is for the log, the caller learns only that it failed. */
  fetch(url: string, limits: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<FetchedFile>;
}

/** Provide a `FileFetcher` under this token to allow `url` parts; without one they are refused. */
export const FileFetcher = Symbol('FileFetcher');
