import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { RemoteError } from '../http/remote-errors.js';

/** The kinds of proof in a file, with their names for token endpoints (RFC 7523 §2.2; draft of SPIFFE client authentication). */
export const ASSERTION_TYPES = {
  'jwt-bearer': 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  spiffe: 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe',
} as const;

/**
 * A file with a JWT by which a client proves itself: a projected token of Kubernetes (EKS, GKE, AKS) or a JWT-SVID. The
 * platform replaces it, so it is read for each request and never kept.
 */
export interface AssertionFile {
  readonly path: string;
  readonly type: keyof typeof ASSERTION_TYPES;
}

/** A proof as it is in the file. */
export interface FileAssertion {
  /** Never in a text that others read. */
  readonly token: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** When the file was written, ms since 1970. */
  readonly writtenAt: number;
}

/** Longer than any token of these platforms, and shorter than what token endpoints take. */
const MAX_BYTES = 16_384;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Reads a proof that is still valid. @throws RemoteError `unreachable` for a file that cannot be used now: its platform
 * may write another one. The text never repeats the content
 * @param now ms since 1970
 */
export async function readAssertion({ path }: AssertionFile, now = Date.now()): Promise<FileAssertion> {
  const { bytes, writtenAt } = await contentOf(path);
  if (bytes.length > MAX_BYTES) throw unusable(path, `it has more than ${String(MAX_BYTES)} bytes`);
  const token = bytes.toString('latin1').trim();
  if (token === '') throw unusable(path, 'it is empty');
  const claims = JWT.test(token) ? claimsOf(token) : undefined;
  if (claims === undefined) throw unusable(path, 'it is not a JWT');
  if (typeof claims.exp === 'number' && claims.exp * 1000 <= now) throw unusable(path, 'it has expired');
  return { token, claims, writtenAt };
}

/** At most one byte more than a proof may have, of a file: a pipe could keep the call waiting. */
async function contentOf(path: string): Promise<{ readonly bytes: Buffer; readonly writtenAt: number }> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new Error('it is no file');
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
      return { bytes: buffer.subarray(0, bytesRead), writtenAt: stat.mtimeMs };
    } finally {
      await file.close();
    }
  } catch (cause) {
    const isOfSystem = typeof cause === 'object' && cause !== null && 'code' in cause;
    throw unusable(path, isOfSystem ? String(cause.code) : 'it is no file');
  }
}

/** The claims of a JWT; undefined for a token that only its issuer can read. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload, signature, ...more] = token.split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  try {
    const claims = parseJson(Buffer.from(payload, 'base64url'));
    return isJsonObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

function unusable(path: string, why: string): RemoteError {
  return new RemoteError('unreachable', `The client assertion file ${path} cannot be used: ${why}`, { isUnsent: true });
}
