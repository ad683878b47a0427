/** Limits of one fetch. */
export interface HttpGetLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface HttpGetAnswer {
  readonly status: number;
  readonly body: string;
}

/** Fetches a document over HTTP without following redirects. Throws without a complete answer within the limits. */
export abstract class HttpGet {
  abstract get(url: string, limits: HttpGetLimits): Promise<HttpGetAnswer>;
}
