/** In which version and binding the playground speaks. */
export const DIALECTS = { rpc: 'A2A 1.0, JSON-RPC', rest: 'A2A 1.0, HTTP+JSON', old: 'A2A 0.3, JSON-RPC' } as const;
export type Dialect = keyof typeof DIALECTS;

/** A request, below the address of the service. */
export interface WireRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer of JSON-RPC. */
export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}
