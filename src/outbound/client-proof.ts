import { isAbsolute } from 'node:path';
import { type AssertionFile, ASSERTION_TYPES } from '@parley/client/auth/assertion-file.js';
import { type ClientKey, readClientKey } from '@parley/client/auth/client-assertion.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { FileFaults } from '../platform/config/settings/file-faults.js';

/** How this service proves itself at an authorization server: by one of these. */
export interface ClientProof {
  readonly clientSecret?: string;
  readonly key?: ClientKey;
  readonly assertionFile?: AssertionFile;
}

const PROOFS = ['secret', 'key', 'clientAssertionFile'] as const;
/** The members of `auth` that are read here. */
export const PROOF_MEMBERS = [...PROOFS, 'clientAssertionType'];

/** The proof in the member `auth` of an operator's file. */
export function readClientProof(value: JsonObject, faults: FileFaults): ClientProof {
  const given = PROOFS.filter((name) => value[name] !== undefined);
  if (given.length !== 1) return faults.refuse(`auth has one of ${PROOFS.join(', ')}`, {});
  if (value.clientAssertionFile !== undefined) return { assertionFile: readAssertionFile(value, faults) };
  if (value.key === undefined) return { clientSecret: faults.text(value, 'secret', 'auth.') };
  const key = readKey(value, faults);
  return key === undefined ? {} : { key };
}

/** The member `clientAssertionFile`, with its type. */
export function readAssertionFile(value: JsonObject, faults: FileFaults): AssertionFile {
  const path = faults.text(value, 'clientAssertionFile', 'auth.');
  if (path !== '' && !isAbsolute(path)) faults.add('auth.clientAssertionFile must be an absolute path');
  const types = Object.keys(ASSERTION_TYPES) as [AssertionFile['type'], ...AssertionFile['type'][]];
  return { path, type: faults.choice(value, 'clientAssertionType', types) };
}

/** The member `key`: a private key as JWK. */
export function readKey(value: JsonObject, faults: FileFaults): ClientKey | undefined {
  const text = faults.text(value, 'key', 'auth.');
  const key = text === '' ? undefined : readClientKey(text);
  if (text !== '' && key === undefined) faults.add('auth.key must be a private key as JWK (EC, Ed25519 or RSA)');
  return key;
}
