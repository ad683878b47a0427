/** A document that the caller sent: bytes of a file, or a JSON value. */
export type InvoiceDocument =
  | { readonly kind: 'pdf' | 'xml' | 'json' | 'text'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly name: string; readonly value: unknown };
