import { readdirSync, readFileSync } from 'node:fs';
import type { Json } from '@parley/protocol/model/json.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';

/** One call of one dialect: what comes in, what it means in 1.0, and how a 1.0 answer goes out. */
export interface GoldenCase {
  readonly name: string;
  readonly operation: OperationName;
  readonly method: string;
  readonly params?: unknown;
  readonly v1Params: unknown;
  readonly legacyTerms?: unknown;
  readonly v1Result?: Json<never>;
  readonly result?: unknown;
  readonly v1Events?: readonly unknown[];
  readonly events?: readonly unknown[];
}

export interface GoldenFile {
  readonly dialect: ProtocolVersion;
  readonly cases: readonly GoldenCase[];
}

const FOLDER = new URL('.', import.meta.url);

/** Every golden file of this folder. */
export function goldenFiles(): readonly GoldenFile[] {
  return readdirSync(FOLDER)
    .filter((name) => /^v\d_\d\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as GoldenFile);
}
