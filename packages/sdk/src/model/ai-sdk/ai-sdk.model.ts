import { ModelFault } from '../model-fault.js';
import { estimatedTokens } from '../model-budget.js';
import { loggedText, tokensOf } from '../provider-answer.js';
import { providerFault } from '../provider-fault.js';
import type {
  ModelFile,
  ModelFinish,
  ModelMessage,
  ModelPort,
  ModelReply,
  ModelRequest,
  ModelUsage,
} from '../model.port.js';
import { AiSdkContent, assistantContent } from './ai-sdk-content.js';

/** The part of a language model of the AI SDK (`@ai-sdk/provider`, specification v2 to v4) that is used: one call, no loop. */
export interface AiSdkModel {
  readonly modelId: string;
  /** The provider, as the model names it. */
  readonly provider?: string;
  doGenerate(options: AiSdkOptions): PromiseLike<AiSdkResult>;
  doStream?(options: AiSdkOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

// The AI SDK's types are its own; these are the members that every version of it has.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- parameters of a foreign method, which may be narrower
type AiSdkOptions = any;

type Json = Readonly<Record<string, unknown>>;

interface AiSdkResult {
  readonly content: readonly object[];
  readonly finishReason: unknown;
  readonly usage: object;
}

/** The end of an answer. */
interface End {
  readonly finishReason: unknown;
  readonly usage: unknown;
}

/** Any model of the AI SDK as a model of the service. Its own retries and tool loops are not used. */
export function fromAiSdk(model: AiSdkModel): ModelPort {
  const of = `${model.provider ?? 'ai-sdk'}/${model.modelId}`;
  return {
    name: model.modelId,
    async complete(request, { signal, onText }) {
      const content = new AiSdkContent(onText ?? (() => undefined));
      const options = optionsOf(request, signal, of);
      try {
        const end = onText === undefined ? undefined : await streamed(model, options, content);
        return replyOf(content, end ?? (await generated(model, options, content)), { request, of });
      } catch (error) {
        signal.throwIfAborted();
        throw faultOf(error, model.modelId);
      }
    },
  };
}

async function generated(model: AiSdkModel, options: object, content: AiSdkContent): Promise<End> {
  const result = await model.doGenerate(options);
  for (const part of result.content) content.take(part as Json);
  return result;
}

/** Undefined for a model that does not stream. */
async function streamed(model: AiSdkModel, options: object, content: AiSdkContent): Promise<End | undefined> {
  if (model.doStream === undefined) return undefined;
  const { stream } = await model.doStream(options);
  let end: End | undefined;
  try {
    for await (const part of stream as unknown as AsyncIterable<Json>) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'finish') end = { finishReason: part.finishReason, usage: part.usage };
      else content.take(part);
    }
  } catch (error) {
    // The request was accepted: whatever comes now may be another the next time.
    throw causesOf(error).find((cause) => cause instanceof ModelFault) ?? brokenOff(error);
  }
  if (end === undefined) throw new ModelFault('unavailable', 'The answer of the model was cut');
  return end;
}

function optionsOf(request: ModelRequest, abortSignal: AbortSignal, of: string): object {
  const { messages, tools = [], toolChoice, responseSchema, maxTokens, temperature } = request;
  return {
    prompt: messages.map((message) => promptOf(message, of)),
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

/** Bytes and never an address: some providers would fetch it themselves. */
function filePart({ mediaType, name, data }: ModelFile): object {
  return { type: 'file', mediaType, data, ...(name === undefined ? {} : { filename: name }) };
}

function promptOf(message: ModelMessage, of: string): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }, ...(message.files ?? []).map(filePart)] };
    case 'assistant':
      return { role: 'assistant', content: assistantContent(message, of) };
    case 'tool': {
      const output = { type: 'text', value: message.text };
      const result = { type: 'tool-result', toolCallId: message.callId, toolName: message.name, output };
      return { role: 'tool', content: [result] };
    }
  }
}

function replyOf(
  content: AiSdkContent,
  { finishReason, usage }: End,
  { request, of }: { readonly request: ModelRequest; readonly of: string },
): ModelReply {
  const { text, toolCalls } = content;
  const prompt = request.messages.map((message) => message.text).join(' ');
  return {
    ...{ text, toolCalls, finish: finishOf(finishReason, toolCalls.length) },
    usage: usageOf(objectOf(usage), { input: estimatedTokens(prompt), output: estimatedTokens(text) }),
    ...content.opaque(of),
  };
}

/** Numbers in v2, `{ total, cacheRead, cacheWrite }` and `{ total, reasoning }` since v3. */
function usageOf(usage: Json, estimate: ModelUsage): ModelUsage {
  const [ofInput, ofOutput] = [objectOf(usage.inputTokens), objectOf(usage.outputTokens)];
  const input = tokensOf(usage.inputTokens) ?? tokensOf(ofInput.total) ?? estimate.input;
  const counts = {
    cached: tokensOf(ofInput.cacheRead) ?? tokensOf(usage.cachedInputTokens),
    written: tokensOf(ofInput.cacheWrite),
    reasoning: tokensOf(ofOutput.reasoning) ?? tokensOf(usage.reasoningTokens),
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined && count > 0);
  return {
    ...{ input, output: tokensOf(usage.outputTokens) ?? tokensOf(ofOutput.total) ?? estimate.output },
    ...(Object.fromEntries(known) as Partial<ModelUsage>),
  };
}

/** A word in v2, `{ unified, raw }` since v3. An answer that ends without a reason was cut. */
function finishOf(reason: unknown, calls: number): ModelFinish {
  const { unified = reason, raw } = objectOf(reason);
  if (unified === 'error' || (unified === 'other' && raw === undefined) || unified === 'unknown') {
    throw new ModelFault('unavailable', 'The answer of the model has no end');
  }
  if (unified === 'length') return 'length';
  if (unified === 'content-filter') return 'filtered';
  return unified === 'tool-calls' || calls > 0 ? 'tools' : 'stop';
}

/** The errors of the AI SDK have the whole request and answer in them: nothing of them is kept but the provider's words. */
function faultOf(error: unknown, model: string): ModelFault {
  const fault = causesOf(error).find((cause) => cause instanceof ModelFault);
  if (fault !== undefined) return fault;
  const { statusCode: status, responseHeaders, isRetryable, message } = objectOf(error);
  const text = loggedText(typeof message === 'string' ? message : '');
  if (typeof status === 'number' && status !== 200) {
    const headers = objectOf(responseHeaders) as Readonly<Record<string, string>>;
    return providerFault({ status, headers, message: text, code: codeOf(error) });
  }
  const kind = status === 200 ? 'malformed' : isRetryable === true ? 'unavailable' : 'refused';
  return new ModelFault(kind, `The model ${model} has failed: ${text}`);
}

function brokenOff(error: unknown): ModelFault {
  const { type, message } = objectOf(error);
  const why = loggedText([type, message ?? error].filter((word) => typeof word === 'string').join(' '));
  return new ModelFault('unavailable', `The model has broken off: ${why}`);
}

function codeOf(error: unknown): string {
  const { data } = objectOf(error);
  const inner = objectOf(objectOf(data).error ?? data);
  return [inner.code, inner.type, inner.status].filter((word) => typeof word === 'string').join(' ');
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 8; cause = objectOf(cause).cause) causes.push(cause);
  return causes;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
