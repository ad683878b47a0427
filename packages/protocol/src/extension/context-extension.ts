import type { JsonObject } from '../model/json.js';
import type { Message } from '../model/message.js';

/** The extension whose data in a message is the context object of seed 2 § 10.3: claims of its caller, and memory. */
export const CONTEXT_EXTENSION = 'urn:parley:extension:context:1';

/** The context object of a message; undefined where it has none. */
export function contextOf({ metadata }: Pick<Message, 'metadata'>): JsonObject | undefined {
  const context = metadata?.[CONTEXT_EXTENSION];
  return isObject(context) ? context : undefined;
}

/** Caller and names of the call for gateways: claims that the service has checked or that identify nothing. */
export interface CallNames {
  readonly caller?: string;
  readonly traceId?: string;
  readonly requestId?: string;
  readonly permissions?: readonly string[];
}

/** The names in the context object of a message. */
export function callNamesOf(message: Pick<Message, 'metadata'> | undefined): CallNames {
  const { caller, trace_id: traceId, request_id: requestId, permissions } = (message && contextOf(message)) ?? {};
  return {
    ...(typeof caller === 'string' ? { caller } : {}),
    ...(typeof traceId === 'string' ? { traceId } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(Array.isArray(permissions) ? { permissions: permissions.filter((one) => typeof one === 'string') } : {}),
  };
}

/** Whether a message asks for debug mode: its task is simulated. */
export function isDebug(message: Pick<Message, 'metadata'>): boolean {
  return contextOf(message)?.debug_mode === true;
}

/** The memory that messages lend, by key; of two values of a key the later one. */
export function memoryOf(messages: readonly Pick<Message, 'metadata'>[]): JsonObject {
  const lent = messages.map((message) => contextOf(message)?.memory).filter(isObject);
  return lent.length === 0 ? {} : Object.fromEntries(lent.flatMap((memory) => Object.entries(memory)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
