import { ModelFault } from '@parley/sdk/model/model-fault.js';
import { estimatedTokens } from '@parley/sdk/model/model-budget.js';
import type { ModelFinish, ModelReply, ModelUsage, ToolCall } from '@parley/sdk/model/model.port.js';

/** Bytes of one answer: its text and the arguments of its calls, or its whole body if it is not streamed. */
export const MAX_ANSWER_BYTES = 8 * 1_048_576;
const MAX_TOOL_CALLS = 128;

export function tooLarge(): ModelFault {
  return new ModelFault('malformed', `The answer has more than ${String(MAX_ANSWER_BYTES)} bytes`);
}

/** A tool call, assembled over the events of a stream. */
interface GrowingCall {
  id: string;
  name: string;
  text: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Assembles an answer from one body, or from the events of a stream: both have the same members. */
export class OpenAiAnswer {
  private text = '';
  private readonly calls = new Map<number, GrowingCall>();
  private usage: ModelUsage | undefined;
  private finish: string | undefined;
  private bytes = 0;

  constructor(private readonly onText: (piece: string) => void = () => undefined) {}

  /** Whether the model has sent a finish reason. */
  get isFinished(): boolean {
    return this.finish !== undefined;
  }

  /** Adds a body, or an event of a stream. Throws `ModelFault`. */
  take(json: string): void {
    const body = objectOf(parsed(json));
    if (body.error !== undefined) throw new ModelFault('unavailable', 'The model has broken off with an error');
    const usage = objectOf(body.usage);
    if (typeof usage.prompt_tokens === 'number' && typeof usage.completion_tokens === 'number') {
      this.usage = { input: usage.prompt_tokens, output: usage.completion_tokens };
    }
    const choice = objectOf(listOf(body.choices)[0]);
    const said = objectOf(choice.delta ?? choice.message);
    if (typeof said.content === 'string' && said.content !== '') {
      this.count(said.content);
      this.text += said.content;
      this.onText(said.content);
    }
    for (const [at, call] of listOf(said.tool_calls).entries()) this.grow(objectOf(call), at);
    if (typeof choice.finish_reason === 'string') this.finish = choice.finish_reason;
  }

  /** @param prompt for a usage that the server does not count. Throws `ModelFault` for a truncated answer. */
  reply(prompt: string): ModelReply {
    if (!this.isFinished) throw new ModelFault('unavailable', 'The answer of the model was cut');
    const toolCalls = [...this.calls.values()].map(callOf);
    const estimate = { input: estimatedTokens(prompt), output: estimatedTokens(this.text) };
    return { text: this.text, toolCalls, usage: this.usage ?? estimate, finish: finishOf(this.finish, toolCalls) };
  }

  private count(piece: string): void {
    this.bytes += Buffer.byteLength(piece);
    if (this.bytes > MAX_ANSWER_BYTES) throw tooLarge();
  }

  private grow(call: Json, at: number): void {
    const index = typeof call.index === 'number' ? call.index : at;
    const known = this.calls.get(index) ?? { id: '', name: '', text: '' };
    const part = objectOf(call.function);
    this.count(textOf(part.name) + textOf(part.arguments));
    if (this.calls.size === MAX_TOOL_CALLS && !this.calls.has(index)) {
      throw new ModelFault('malformed', `The answer calls more than ${String(MAX_TOOL_CALLS)} tools`);
    }
    this.calls.set(index, {
      id: typeof call.id === 'string' && call.id !== '' ? call.id : known.id,
      name: known.name + textOf(part.name),
      text: known.text + textOf(part.arguments),
    });
  }
}

function callOf({ id, name, text }: GrowingCall, at: number): ToolCall {
  return { id: id === '' ? `call-${String(at + 1)}` : id, name, arguments: text === '' ? {} : parsed(text) };
}

const FINISHES: Readonly<Record<string, ModelFinish>> = {
  length: 'length',
  content_filter: 'filtered',
  tool_calls: 'tools',
  function_call: 'tools',
};

function finishOf(reason: string | undefined, calls: readonly ToolCall[]): ModelFinish {
  if (calls.length > 0 && reason !== 'length') return 'tools';
  return FINISHES[reason ?? ''] ?? 'stop';
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    throw new ModelFault('malformed', 'The model has sent JSON that cannot be read', { cause });
  }
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
