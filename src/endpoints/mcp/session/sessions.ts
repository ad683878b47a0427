import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { type ClientCapabilities, clientCapabilities } from '@parley/protocol/mcp/client-capabilities.js';
import type { McpRequestId } from '@parley/protocol/mcp/mcp-message.js';
import { type McpRevision, sessionRevision } from '@parley/protocol/mcp/revision.js';
import { Seals } from '../call/seals.js';

/**
 * Lifetime of a session, in milliseconds; then its client begins another, on the 404 that the protocol defines for
 * that.
 */
const LIVES_MS = 24 * 3_600_000;

/** A session of an older revision, encoded in its id: replicas store no table of sessions. */
export interface Session {
  readonly revision: McpRevision;
  readonly capabilities: ClientCapabilities;
  /** Distinguishes two sessions of one caller. */
  readonly nonce: string;
}

/** Creates and opens session ids (MCP-SESSION-1): sealed, for their caller only, valid at every replica. */
@Injectable()
export class Sessions {
  constructor(private readonly seals: Seals) {}

  /** The id of a new session. @param owner owner name of the caller's tasks */
  begin(asked: unknown, declared: JsonObject, owner: string): { readonly id: string; readonly revision: McpRevision } {
    const revision = sessionRevision(asked);
    const { form, url } = clientCapabilities(declared);
    const nonce = randomBytes(12).toString('base64url');
    const id = this.seals.seal('session', { revision, form, url, nonce, until: Date.now() + LIVES_MS }, owner);
    return { id, revision };
  }

  /** @throws A2AError for an invalid, expired or foreign id: all alike */
  open(id: string, owner: string): Session {
    const sealed = this.seals.open('session', id, owner);
    if (!isJsonObject(sealed) || typeof sealed.until !== 'number' || sealed.until < Date.now()) throw unknownSession();
    const elicitation = { ...(sealed.form === true && { form: {} }), ...(sealed.url === true && { url: {} }) };
    const capabilities = clientCapabilities(Object.keys(elicitation).length === 0 ? {} : { elicitation });
    return { revision: sessionRevision(sealed.revision), capabilities, nonce: String(sealed.nonce) };
  }
}

/** The task name of a session's request, by which any replica finds the task to cancel or resume it. */
export function taskNameOf({ nonce }: Session, id: McpRequestId): string {
  return `mcp:${nonce}:${id}`;
}

function unknownSession(): A2AError {
  return new A2AError('MethodNotFound', 'Session not found');
}
