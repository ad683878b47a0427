import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { type JsonName, jsonWith, nameOf } from '@parley/protocol/json/json-name.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { META } from '@parley/protocol/mcp/revision.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import type { ClientInfo, PeerCall, Progress } from './peer.js';
import { badAnswer, ToolError } from './tool-error.js';

/** Depth and structural characters of one message: bounds the time of parsing. */
const SCAN = { maxDepth: 64, maxTokens: 200_000 };
/** Characters of a server's text that become part of an error. */
const MAX_TEXT = 2000;
/** The reason of a cancel that is sent to the server; the real one stays internal. */
const CANCELED = 'The request was canceled';

/** A message of a server. */
export type ServerMessage =
  | { readonly kind: 'result'; readonly id: unknown; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly id: unknown; readonly error: ToolError }
  /** A request to this client. */
  | { readonly kind: 'request'; readonly id: JsonName; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject };

/** @throws ToolError invalid-answer */
export function readMessage(text: Buffer): ServerMessage {
  const body = parsed(text);
  if (!isJsonObject(body) || body.jsonrpc !== '2.0') throw badAnswer('The answer is not JSON-RPC 2.0');
  const { id, method, result, error, params } = body;
  if (typeof method === 'string') {
    if (id !== undefined) return { kind: 'request', id: nameOf(id, text, ['id']) ?? 'null', method };
    return { kind: 'notification', method, params: isJsonObject(params) ? params : {} };
  }
  if (error !== undefined) return { kind: 'error', id, error: errorOf(error) };
  if (!isJsonObject(result)) throw badAnswer('The answer has no result');
  return { kind: 'result', id, result };
}

/** The error in a body that may be JSON-RPC; undefined for any other body. */
export function errorIn(text: Buffer): ToolError | undefined {
  try {
    const body = parsed(text);
    return isJsonObject(body) && isJsonObject(body.error) ? errorOf(body.error) : undefined;
  } catch {
    // The HTTP status suffices.
    return undefined;
  }
}

function errorOf(error: unknown): ToolError {
  if (!isJsonObject(error)) return new ToolError('refused', 'The server answered with an error');
  const { code, message, data } = error;
  const text = typeof message === 'string' ? message.slice(0, MAX_TEXT) : 'an error without a message';
  return new ToolError('refused', text, { code: typeof code === 'number' ? code : undefined, data });
}

function parsed(text: Buffer): unknown {
  try {
    return parseJson(text, SCAN);
  } catch (error) {
    if (error instanceof A2AError) throw badAnswer(`The answer cannot be read: ${error.message}`, error);
    throw error;
  }
}

/**
 * A request as JSON-RPC. In the stateless revision it carries the client's identity; a progress token only when
 * progress is wanted.
 */
export function requestText(id: number, call: PeerCall, client: ClientInfo | undefined): string {
  const { method, params, capabilities = {}, onProgress } = call;
  const meta = {
    ...(isJsonObject(params._meta) ? params._meta : {}),
    ...(onProgress === undefined ? {} : { progressToken: id }),
    ...(client === undefined ? {} : envelope(client, capabilities)),
  };
  const stated = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: stated });
}

export function notificationText(method: string, params: JsonObject, client?: ClientInfo): string {
  const stated = client === undefined ? params : { ...params, _meta: envelope(client, {}) };
  return JSON.stringify({ jsonrpc: '2.0', method, params: stated });
}

export function canceledText(id: number, client?: ClientInfo): string {
  return notificationText('notifications/cancelled', { requestId: id, reason: CANCELED }, client);
}

/** The answer to a request of a server: this client only supports `ping`. */
export function replyText({ id, method }: Extract<ServerMessage, { kind: 'request' }>): string {
  const answer =
    method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'This client offers no such method' } };
  return jsonWith({ jsonrpc: '2.0', ...answer }, 'id', id);
}

function envelope(client: ClientInfo, capabilities: JsonObject): JsonObject {
  return { [META.version]: '2026-07-28', [META.client]: client, [META.capabilities]: capabilities };
}

/** The progress of a request; undefined for any other message. */
export function progressIn(message: ServerMessage, id: number): Progress | undefined {
  if (message.kind !== 'notification' || message.method !== 'notifications/progress') return undefined;
  const { progressToken, progress, total, message: text } = message.params;
  if (progressToken !== id || typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof text === 'string' ? { message: text.slice(0, MAX_TEXT) } : {}),
  };
}

/** Whether the message reports changed tools. */
export function changesTools(message: ServerMessage): boolean {
  return message.kind === 'notification' && message.method === 'notifications/tools/list_changed';
}
