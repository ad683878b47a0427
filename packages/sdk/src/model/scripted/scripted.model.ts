import { estimatedTokens } from '../model-budget.js';
import type { ModelCallOptions, ModelPort, ModelReply, ModelRequest, ToolCall } from '../model.port.js';

/** A reply of a script: a text, calls of tools by name, members of a reply, or a function of the request. */
export type ScriptedReply =
  | string
  | { readonly text?: string; readonly tools?: Readonly<Record<string, unknown>>; readonly usage?: ModelReply['usage'] }
  | ((request: ModelRequest) => string);

/** A model with a script, for tests: gives its replies in order, word by word, and fails on a call too many. */
export interface ScriptedModel extends ModelPort {
  /** Received requests, in order. */
  readonly requests: readonly ModelRequest[];
}

export function scripted(...replies: readonly ScriptedReply[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    isLocal: true,
    requests,
    async complete(request: ModelRequest, { signal, onText }: ModelCallOptions): Promise<ModelReply> {
      signal.throwIfAborted();
      const next = replies[requests.length];
      requests.push(request);
      if (next === undefined)
        throw new Error(`The script has ${String(replies.length)} replies: this call is too many`);
      const reply = replyOf(typeof next === 'function' ? next(request) : next, request);
      // Word by word, so that a test sees a stream.
      for (const piece of reply.text.match(/\S+\s*|\s+/g) ?? []) onText?.(piece);
      return reply;
    },
  };
}

function replyOf(
  scripted: Exclude<ScriptedReply, (request: ModelRequest) => string>,
  request: ModelRequest,
): ModelReply {
  const { text = '', tools = {}, usage } = typeof scripted === 'string' ? { text: scripted } : scripted;
  const toolCalls: readonly ToolCall[] = Object.entries(tools).map(([name, given], at) => ({
    ...{ id: `call-${String(at + 1)}`, name, arguments: given },
  }));
  const prompt = request.messages.map((message) => message.text).join(' ');
  return {
    ...{ text, toolCalls, finish: toolCalls.length > 0 ? 'tools' : 'stop' },
    usage: usage ?? { input: estimatedTokens(prompt), output: estimatedTokens(text) },
  };
}
