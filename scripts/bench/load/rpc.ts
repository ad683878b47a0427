/** A request body in which the load generator makes every message one of its own. */
export function sendBody(method: 'SendMessage' | 'SendStreamingMessage', skillId: string, rest: object = {}): object {
  return rpcBody(method, { message: { ...aMessage(skillId), messageId: '[<id>]' }, ...rest });
}

export function rpcBody(method: string, params: object): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** A message with an id of its own. */
export function aMessage(skillId: string, text = 'Hello'): Readonly<Record<string, unknown>> {
  return { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { skillId } };
}
