import type { JsonObject } from '@parley/protocol/model/json.js';
import { SESSION_REVISIONS } from '@parley/protocol/mcp/revision.js';
import type { ClientInfo, PeerCall } from './peer.js';
import { ToolError } from './tool-error.js';

/** Supported revisions with a handshake; of the older two only the unchanged parts are used. */
const KNOWN: readonly string[] = [...SESSION_REVISIONS, '2025-03-26', '2024-11-05'];
const HANDSHAKE_MS = 10_000;

/** An open session. */
export interface Handshake {
  /** Absent for a server without sessions, and over stdio. */
  readonly id?: string;
  readonly revision: string;
}

interface SessionStart {
  readonly client: ClientInfo;
  readonly call: (call: PeerCall) => Promise<{ readonly result: JsonObject; readonly id?: string }>;
  readonly notify: (method: string, session: Handshake) => Promise<void>;
}

/**
 * The `initialize` handshake. Declares no capabilities: a session can ask only while its stream is open, and no run
 * waits for that.
 */
export async function startSession({ client, call, notify }: SessionStart): Promise<Handshake> {
  const params = { protocolVersion: SESSION_REVISIONS[0], capabilities: {}, clientInfo: { ...client } };
  const { result, id } = await call({ method: 'initialize', params, timeoutMs: HANDSHAKE_MS });
  const { protocolVersion: revision } = result;
  if (typeof revision !== 'string' || !KNOWN.includes(revision)) {
    const text = `The server speaks MCP ${String(revision).slice(0, 40)}, and this client does not`;
    throw new ToolError('invalid-answer', text);
  }
  const session = { revision, ...(id === undefined ? {} : { id }) };
  await notify('notifications/initialized', session);
  return session;
}
