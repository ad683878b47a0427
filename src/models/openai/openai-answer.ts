import { ModelFault } from '@parley/sdk/model/model-fault.js';
import { estimatedTokens } from '@parley/sdk/model/model-budget.js';
import type { ModelFinish, ModelReply, ModelUsage, Opaque, ToolCall } from '@parley/sdk/model/model.port.js';
import { callsOf, checkCallCount, MAX_ANSWER_BYTES, tokensOf, tooLarge } from '@parley/sdk/model/provider-answer.js';
import { CALL_MEMBER, MESSAGE_MEMBERS } from './openai-opaque.js';

/** A tool call, assembled over the events of a stream. */
interface GrowingCall {
  id: string;
  name: string;
  text: string;
  extra: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Assembles an answer from one body, or from the events of a stream: both have the same members. */
export class OpenAiAnswer {
  private text = '';
  private readonly calls = new Map<number, GrowingCall>();
  private usage: ModelUsage | undefined;
  private finish: string | undefined;
  private bytes = 0;
  /** What the server wants back with the calls. */
  private readonly reasoning: Record<string, string | unknown[]> = {};

  /** @param origin whose opaque content it has */
  constructor(
    private readonly origin: string,
    private readonly onText: (piece: string) => void = () => undefined,
  ) {}

  /** Whether the model has sent a finish reason. */
  get isFinished(): boolean {
    return this.finish !== undefined;
  }

  /** Adds a body, or an event of a stream. Throws `ModelFault`. */
  take(json: string): void {
    const body = objectOf(parsed(json));
    if (body.error !== undefined) throw new ModelFault('unavailable', 'The model has broken off with an error');
    this.usage = usageOf(objectOf(body.usage)) ?? this.usage;
    const choice = objectOf(listOf(body.choices)[0]);
    const said = objectOf(choice.delta ?? choice.message);
    if (typeof said.content === 'string' && said.content !== '') {
      this.count(said.content);
      this.text += said.content;
      this.onText(said.content);
    }
    for (const name of MESSAGE_MEMBERS) this.keep(name, said[name]);
    for (const [at, call] of listOf(said.tool_calls).entries()) this.grow(objectOf(call), at);
    if (typeof choice.finish_reason === 'string') this.finish = choice.finish_reason;
  }

  /** @param prompt for a usage that the server does not count. Throws `ModelFault` for a truncated answer. */
  reply(prompt: string): ModelReply {
    if (!this.isFinished) throw new ModelFault('unavailable', 'The answer of the model was cut');
    const grown = [...this.calls.values()];
    const toolCalls = callsOf(grown);
    const estimate = { input: estimatedTokens(prompt), output: estimatedTokens(this.text) };
    return {
      ...{ text: this.text, toolCalls, usage: this.usage ?? estimate, finish: finishOf(this.finish, toolCalls) },
      ...this.opaque(grown, toolCalls),
    };
  }

  /** Servers want it back with results of tools only. */
  private opaque(
    grown: readonly GrowingCall[],
    toolCalls: readonly ToolCall[],
  ): { readonly opaque?: readonly Opaque[] } {
    const extras = grown.map(({ extra }, at) => [toolCalls[at]?.id ?? '', { [CALL_MEMBER]: extra }] as const);
    const ofCalls = Object.fromEntries(extras.filter((_one, at) => grown[at]?.extra !== undefined));
    const isEmpty = Object.keys(ofCalls).length + Object.keys(this.reasoning).length === 0;
    if (toolCalls.length === 0 || isEmpty) return {};
    return { opaque: [{ of: this.origin, data: { members: this.reasoning, ofCalls } }] };
  }

  /** Adds a piece of a text or a list. */
  private keep(name: string, piece: unknown): void {
    const before = this.reasoning[name];
    if (typeof piece === 'string' && piece !== '') {
      this.count(piece);
      this.reasoning[name] = (typeof before === 'string' ? before : '') + piece;
    } else if (Array.isArray(piece)) {
      this.count(JSON.stringify(piece));
      // Appended in place: a copy for each piece of a long reasoning takes minutes.
      const pieces = typeof before === 'object' ? before : (this.reasoning[name] = []);
      for (const one of piece as readonly unknown[]) pieces.push(one);
    }
  }

  private count(piece: string): void {
    this.bytes += Buffer.byteLength(piece);
    if (this.bytes > MAX_ANSWER_BYTES) throw tooLarge();
  }

  private grow(call: Json, at: number): void {
    const index = typeof call.index === 'number' ? call.index : at;
    const known = this.calls.get(index) ?? { id: '', name: '', text: '', extra: undefined };
    const part = objectOf(call.function);
    const extra = call[CALL_MEMBER];
    this.count(textOf(call.id) + textOf(part.name) + textOf(part.arguments));
    if (extra !== undefined) this.count(JSON.stringify(extra));
    this.calls.set(index, {
      id: typeof call.id === 'string' && call.id !== '' ? call.id : known.id,
      name: known.name + textOf(part.name),
      text: known.text + textOf(part.arguments),
      extra: extra ?? known.extra,
    });
    checkCallCount(this.calls.size);
  }
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

function usageOf(usage: Json): ModelUsage | undefined {
  const [input, output] = [tokensOf(usage.prompt_tokens), tokensOf(usage.completion_tokens)];
  if (input === undefined || output === undefined) return undefined;
  const cached = tokensOf(objectOf(usage.prompt_tokens_details).cached_tokens);
  const reasoning = tokensOf(objectOf(usage.completion_tokens_details).reasoning_tokens);
  return {
    ...{ input, output },
    ...(cached === undefined ? {} : { cached: Math.min(cached, input) }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
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
