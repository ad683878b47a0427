import { randomUUID } from 'node:crypto';
import { ModelFault } from './model-fault.js';
import { estimatedTokens } from './model-budget.js';
import type { ModelFinish, ModelMessage, ModelPort, ModelReply, ModelRequest, ToolCall } from './model.port.js';

/** The part of a language model of the AI SDK (`@ai-sdk/provider`, specification v2 and v3) that is used: one call, no loop. */
export interface AiSdkModel {
  readonly modelId: string;
  doGenerate(options: AiSdkOptions): PromiseLike<AiSdkResult>;
}

// The AI SDK's types are its own; these are the members that every version of it has.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- parameters of a foreign method, which may be narrower
type AiSdkOptions = any;

interface AiSdkResult {
  readonly content: readonly object[];
  readonly finishReason: unknown;
  readonly usage: { readonly inputTokens?: unknown; readonly outputTokens?: unknown };
}

/** Any model of the AI SDK as a model of the service. Its own retries and tool loops are not used; the text comes in one piece. */
export function fromAiSdk(model: AiSdkModel): ModelPort {
  return {
    name: model.modelId,
    async complete(request, { signal, onText }) {
      const result = await generated(model, optionsOf(request, signal), signal);
      const reply = replyOf(result, request);
      if (reply.text !== '') onText?.(reply.text);
      return reply;
    },
  };
}

async function generated(model: AiSdkModel, options: object, signal: AbortSignal): Promise<AiSdkResult> {
  try {
    return await model.doGenerate(options);
  } catch (cause) {
    signal.throwIfAborted();
    const mayPass = cause instanceof Error && 'isRetryable' in cause && cause.isRetryable === true;
    throw new ModelFault(mayPass ? 'unavailable' : 'refused', `The model ${model.modelId} has failed`, { cause });
  }
}

function optionsOf(request: ModelRequest, abortSignal: AbortSignal): object {
  const { messages, tools = [], toolChoice, responseSchema, maxTokens, temperature } = request;
  return {
    prompt: messages.map(promptOf),
    abortSignal,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            ...{ type: 'function', name, description, inputSchema: parameters },
          })),
          toolChoice: { type: toolChoice ?? 'auto' },
        }),
    ...(responseSchema === undefined ? {} : { responseFormat: { type: 'json', schema: responseSchema } }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

function promptOf(message: ModelMessage): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => ({
        ...{ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments },
      }));
      const said = message.text === '' ? [] : [{ type: 'text', text: message.text }];
      return { role: 'assistant', content: [...said, ...calls] };
    }
    case 'tool': {
      const output = { type: 'text', value: message.text };
      const result = { type: 'tool-result', toolCallId: message.callId, toolName: message.name, output };
      return { role: 'tool', content: [result] };
    }
  }
}

function replyOf({ content, finishReason, usage }: AiSdkResult, request: ModelRequest): ModelReply {
  const parts = content.map((part) => part as Readonly<Record<string, unknown>>);
  const text = parts.map((part) => (part.type === 'text' ? String(part.text) : '')).join('');
  const toolCalls: readonly ToolCall[] = parts
    .filter(({ type }) => type === 'tool-call')
    .map(({ toolCallId = randomUUID(), toolName, input }) => ({
      ...{ id: String(toolCallId), name: String(toolName), arguments: argumentsOf(input) },
    }));
  const prompt = request.messages.map((message) => message.text).join(' ');
  return {
    ...{ text, toolCalls, finish: finishOf(finishReason) },
    usage: {
      input: tokensOf(usage.inputTokens) ?? estimatedTokens(prompt),
      output: tokensOf(usage.outputTokens) ?? estimatedTokens(text),
    },
  };
}

/** A text of JSON in v2 and v3. */
function argumentsOf(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input) as unknown;
  } catch (cause) {
    throw new ModelFault('malformed', 'The model has sent arguments that cannot be read', { cause });
  }
}

/** A number in v2, `{ total }` in v3. */
function tokensOf(count: unknown): number | undefined {
  const value = typeof count === 'object' && count !== null && 'total' in count ? count.total : count;
  return typeof value === 'number' ? value : undefined;
}

/** A word in v2, `{ unified }` in v3. */
function finishOf(reason: unknown): ModelFinish {
  const word = typeof reason === 'object' && reason !== null && 'unified' in reason ? reason.unified : reason;
  if (word === 'tool-calls') return 'tools';
  if (word === 'length') return 'length';
  return word === 'content-filter' ? 'filtered' : 'stop';
}
