import type { JsonObject } from '../model/json.js';

/** A part as 0.2 and 0.3 write it; 0.1 calls `kind` `type`. `undefined` members are left out. */
export type LegacyPart =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: JsonObject | undefined }
  | { readonly kind: 'file'; readonly file: LegacyFile; readonly metadata?: JsonObject | undefined }
  | { readonly kind: 'data'; readonly data: JsonObject; readonly metadata?: JsonObject | undefined };

export interface LegacyFile {
  readonly bytes?: string;
  readonly uri?: string;
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
}

export type LegacyRole = 'user' | 'agent';

/** A webhook as 0.1 – 0.3 write it; 0.1 has no `id`. */
export interface LegacyPushConfig {
  readonly id?: string | undefined;
  readonly url: string;
  readonly token?: string | undefined;
  readonly authentication?:
    { readonly schemes: readonly string[]; readonly credentials?: string | undefined } | undefined;
}
