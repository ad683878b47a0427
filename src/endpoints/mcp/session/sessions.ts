import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { type ClientCapabilities, clientCapabilities } from '@parley/protocol/mcp/client-capabilities.js';
import type { McpRequestId } from '@parley/protocol/mcp/mcp-message.js';
import { type McpRevision, sessionRevision } from '@parley/protocol/mcp/revision.js';
import { Seals } from '../call/seals.js';

/** How long a session lives, in milliseconds; then its client begins another, by the 404 that the protocol has for that. */
const LIVES_MS = 24 * 3_600_000;

/** A session of an older revision, as its id says it: no replica keeps a table of them. */
export interface Session {
  readonly revision: McpRevision;
  readonly capabilities: ClientCapabilities;
  /** Distinguishes two sessions of one caller. */
  readonly nonce: string;
}

/** Makes and opens session ids (MCP-SESSION-1): sealed, for their caller only, the same for every replica. */
@Injectable()
export class Sessions {
  constructor(private readonly seals: Seals) {}

  /** The id of a new session. @param owner the name under which the caller's tasks are kept */
  begin(asked: unknown, declared: JsonObject, owner: string): { readonly id: string; readonly revision: McpRevision } {
    const revision = sessionRevision(asked);
    const { form, url } = clientCapabilities(declared);
    const nonce = randomBytes(12).toString('base64url');
    const id = this.seals.seal('session', { revision, form, url, nonce, until: Date.now() + LIVES_MS }, owner);
    return { id, revision };
  }

  /** @throws A2AError for an id that is none, has expired, or belongs to another caller: all alike */
  open(id: string, owner: string): Session {
    const sealed = this.seals.open('session', id, owner);
    if (!isJsonObject(sealed) || typeof sealed.until !== 'number' || sealed.until < Date.now()) throw unknownSession();
    const elicitation = { ...(sealed.form === true && { form: {} }), ...(sealed.url === true && { url: {} }) };
    const capabilities = clientCapabilities(Object.keys(elicitation).length === 0 ? {} : { elicitation });
    return { revision: sessionRevision(sealed.revision), capabilities, nonce: String(sealed.nonce) };
  }
}

/** The name that a request of a session gives its task: any replica finds the task by it, to cancel or to resume. */
export function taskNameOf({ nonce }: Session, id: McpRequestId): string {
  return `mcp:${nonce}:${id}`;
}

function unknownSession(): A2AError {
  return new A2AError('MethodNotFound', 'Session not found');
}
