import { createHash } from 'node:crypto';
import { artifact as whole, chunk, type SkillEvent, working } from '../skill/events.js';
import { hostOf, runOf } from '../skill/context/skill-host.js';
import { ROUND } from '../skill/replay/model-round.js';
import type { SkillContext } from '../skill/skill.js';
import { SkillFailure } from '../skill/skill-failure.js';
import { DEBUG_MARK, exampleOf } from '../skill/simulation/example-value.js';
import type { GrantedUse } from '../skill/model-use.js';
import {
  DEFAULT_ANSWER_TOKENS,
  estimatedTokens,
  FREE,
  microsOf,
  ModelBudget,
  ModelBudgetSpent,
  type ModelLimits,
  spentUse,
  tokensOfLength,
} from './model-budget.js';
import { ModelFault } from './model-fault.js';
import { DEFAULT_MAX_WAIT_MS, type Delayed, delayAfter, NOT_WAITED, type Waited, waitIn } from './model-wait.js';
import type { ModelPort, ModelPrices, ModelReply, ModelRequest, ToolCall } from './model.port.js';
import type { ToolBinding } from './tool-binding.js';
import { LiveText } from './live-text.js';

/** A call of the model within its turn. */
export interface RoundRequest extends ModelRequest {
  /**
   * The name of the round in its turn, such as `desk round 2`: a repeated run takes the stored reply of that position, whatever the prompt
   * is now. Default: the digest of the request, so that another prompt is another round.
   */
  readonly place?: string;
  /** How a call of the reply is made: noted with the reply, since a deploy may change the tools. */
  readonly bind?: (call: ToolCall) => ToolBinding | undefined;
}

/** A reply, with how its calls are made. */
export interface RoundReply extends ModelReply {
  readonly bound?: readonly (ToolBinding | null)[];
}

/** A streamed call. */
export interface StreamRequest extends RoundRequest {
  /** The artifact that the text becomes; default `answer`. A later stream to it replaces it. */
  readonly artifact?: string;
  /** Its name in the first chunk. */
  readonly name?: string;
}

/** Outcome of a call, for metrics and traces. */
export interface ModelObserver {
  /** Does the call. */
  observed(
    port: ModelPort,
    request: ModelRequest,
    call: (onPiece: () => void) => Promise<ModelReply>,
  ): Promise<ModelReply>;
  /** A call was not made, or was stopped: its budget is used up. */
  refused(limit: ModelBudgetSpent['limit']): void;
  /** A call begins, of a tenant that has used this part of its daily budget. */
  reserved(ofTenant: number): void;
}

/** A reply as the journal keeps it. */
interface StoredReply extends RoundReply {
  /** In journals of older releases: the lengths of the pieces of its text, each of which was an event of the skill. */
  readonly cuts?: readonly number[];
}

export const MODEL_LIMITS: ModelLimits = { maxTokens: 200_000, maxCalls: 50 };

const UNOBSERVED: ModelObserver = {
  observed: (_port, _request, call) => call(() => undefined),
  refused: () => undefined,
  reserved: () => undefined,
};

/**
 * The language model of the service, for skills; inject it by its class. Each call is a step: after a crash a reply that was stored is
 * not asked for again, and costs nothing.
 */
export class Model {
  constructor(
    private readonly port: ModelPort,
    private readonly limits: ModelLimits = MODEL_LIMITS,
    private readonly observer: ModelObserver = UNOBSERVED,
    private readonly budgets = new WeakMap<object, ModelBudget>(),
  ) {}

  get name(): string {
    return this.port.name;
  }

  /** The roles of MODELS_FILE, which `named` takes; undefined where any name is taken. */
  get roles(): readonly string[] | undefined {
    return this.port.roles;
  }

  /** Media types of the files that it reads. */
  get reads(): readonly string[] {
    return this.port.reads ?? [];
  }

  /**
   * The model of a role of MODELS_FILE, or another one of the same provider, within the same budgets; this one where there is no other,
   * as with rules and scripts.
   */
  named(name: string): Model {
    const port = this.port.named?.(name);
    return port === undefined ? this : new Model(port, this.limits, this.observer, this.budgets);
  }

  /** The whole reply. Throws `SkillFailure` when the model refuses or the budget is spent. */
  async ask(context: SkillContext, request: RoundRequest): Promise<RoundReply> {
    const { cuts: _cuts, ...reply } = await this.round(context, request);
    return reply;
  }

  /**
   * The same, with the text as chunks of an artifact as it comes: `const reply = yield* model.stream(context, …)`. The chunks are no events
   * of the skill: a run that is lost meanwhile is repeated, and its stream begins anew. The text of a reply that calls tools is progress.
   */
  async *stream(
    context: SkillContext,
    { artifact = 'answer', name, ...request }: StreamRequest,
  ): AsyncGenerator<SkillEvent, RoundReply, void> {
    const options = name === undefined ? {} : { name };
    const live = new LiveText(hostOf(context).live, artifact, options);
    const { cuts, ...reply } = await this.round(context, request, live.add);
    const { text, toolCalls } = reply;
    if (cuts !== undefined) for (const piece of cutInto(text, cuts)) yield chunk(artifact, piece, options);
    else if (toolCalls.length > 0) yield* text === '' ? [] : [working(text)];
    else if (live.length > 0) yield chunk(artifact, live.rest(text), { ...options, last: true });
    else if (text !== '') yield whole(artifact, text, options);
    return reply;
  }

  /** A model that takes no call now is asked again, once the turn has waited: each attempt is a step. */
  private async round(
    context: SkillContext,
    { place, bind, ...request }: RoundRequest,
    onText?: (piece: string) => void,
  ): Promise<StoredReply> {
    const begun = await this.counted(() => this.begin(context, request, place));
    for (let waited = NOT_WAITED; ;) {
      const call = { request, ...begun, waited, ...(onText === undefined ? {} : { onText }) };
      const outcome = await context.step(stepOf(call), async () => {
        const made = await this.counted(() => this.call(context, call));
        return 'laterMs' in made ? made : boundBy(bind, made);
      });
      if (!('laterMs' in outcome)) {
        begun.budget.settle(outcome.usage);
        return outcome;
      }
      waited = await waitIn(context, outcome, waited);
    }
  }

  /** Counts the budgets that have refused something. */
  private async counted<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ModelBudgetSpent) this.observer.refused(error.limit);
      throw error;
    }
  }

  private begin(
    context: SkillContext,
    request: ModelRequest,
    place = digestOf(request),
  ): { readonly step: string; readonly budget: ModelBudget } {
    const run = runOf(context);
    const budget = this.budgets.get(run) ?? new ModelBudget(this.limits);
    this.budgets.set(run, budget);
    return { step: `${ROUND}${budget.begin(place)}`, budget };
  }

  /** Resolves with a delay in place of a reply where the model takes no call now, and none of its text was seen. */
  private async call(context: SkillContext, call: OpenCall): Promise<StoredReply | Delayed> {
    const { request, step, budget, waited, onText } = call;
    if (context.isSimulated === true && this.port.isLocal !== true) return unasked(request);
    let received = 0;
    const stop = new AbortController();
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const input = estimatedTokens(request.messages.map(({ text }) => text).join(' '));
    const grant = await this.reserved(context, call, input);
    const watch = budget.watch(input, grant?.tokens);
    const left = Math.min(budget.left, (grant?.tokens ?? Infinity) - input);
    const asking = { ...request, ...limitOf(request, left) };
    const idempotencyKey = `${context.idempotencyKey}:${step}`;
    const asked = async (onPiece: () => void): Promise<ModelReply> => {
      const reply = await this.port.complete(asking, {
        ...{ signal, idempotencyKey, tenant: context.principal.tenant },
        onText: (piece) => {
          onPiece();
          received += piece.length;
          onText?.(piece);
          watch(piece);
        },
      });
      return { ...reply, micros: reply.micros ?? microsOf(reply.usage, this.prices) };
    };
    try {
      const reply = await this.observer.observed(this.port, request, asked);
      await grant?.settle({ ...reply.usage, micros: reply.micros ?? 0 });
      return reply;
    } catch (error) {
      const output = tokensOfLength(received);
      const usage = { input: output === 0 ? 0 : input, output };
      await grant?.settle({ ...usage, micros: microsOf(usage, this.prices) });
      context.signal.throwIfAborted();
      const laterMs = received > 0 ? undefined : delayAfter(error, waited, this.maxWaitMs);
      if (laterMs === undefined) throw this.failureOf(error, context);
      return { laterMs };
    } finally {
      stop.abort();
    }
  }

  /** Reserves tokens for a call, of the remaining budgets of its tree and its tenant. @throws ModelBudgetSpent */
  private async reserved(
    context: SkillContext,
    { request, step: id, budget }: OpenCall,
    input: number,
  ): Promise<Extract<GrantedUse, { kind: 'reserved' }> | undefined> {
    const { prices } = this;
    const most = input + Math.min(request.maxTokens ?? DEFAULT_ANSWER_TOKENS, budget.left);
    const wanted = { id, most, least: input + 1, micros: Math.max(prices.in, prices.written ?? 0, prices.out) };
    const granted = await hostOf(context).reserve?.(wanted);
    if (granted?.kind === 'spent') throw spentUse(granted);
    if (granted?.ofTenant !== undefined) this.observer.reserved(granted.ofTenant);
    return granted;
  }

  private get prices(): ModelPrices {
    return this.port.prices ?? this.limits.prices ?? FREE;
  }

  private get maxWaitMs(): number {
    return this.limits.maxWaitMs ?? DEFAULT_MAX_WAIT_MS;
  }

  /** A fault that another attempt does not change fails the task at once. */
  private failureOf(error: unknown, { log }: SkillContext): unknown {
    if (!(error instanceof ModelFault) || error.kind === 'unavailable') return error;
    log.warn('The language model has given no answer', {
      model: this.port.name,
      kind: error.kind,
      reason: error.message,
    });
    return new SkillFailure(FAILURES[error.kind], { cause: error });
  }
}

const UNUSABLE = 'The language model has given no usable answer.';

/** What the caller reads. */
const FAILURES: Readonly<Record<Exclude<ModelFault['kind'], 'unavailable'>, string>> = {
  rate: 'The language model has no capacity now.',
  spent: 'The language model has no capacity now.',
  refused: UNUSABLE,
  malformed: UNUSABLE,
  'too-long': 'The request is too long for the language model.',
  filtered: 'The language model declines to answer this.',
};

interface OpenCall {
  readonly request: ModelRequest;
  readonly step: string;
  readonly budget: ModelBudget;
  readonly waited: Waited;
  readonly onText?: (piece: string) => void;
}

/** A call that has waited is another step at each of its attempts; the first one has the name of the round. */
function stepOf({ step, waited: { times } }: OpenCall): string {
  return times === 0 ? step : `${step} again ${String(times)}`;
}

/** The reply in debug mode: a model is another service, and costs money. */
function unasked({ responseSchema }: ModelRequest): StoredReply {
  const text =
    responseSchema === undefined
      ? `${DEBUG_MARK} The language model was not asked.`
      : JSON.stringify(exampleOf(responseSchema));
  return { text, toolCalls: [], usage: { input: 0, output: 0 }, finish: 'stop' };
}

/** The limit of an answer: that of the request, or of a budget that is nearly spent. Some models refuse a limit that they need not have. */
function limitOf({ maxTokens }: ModelRequest, left: number): Pick<ModelRequest, 'maxTokens'> {
  if (maxTokens === undefined && left >= DEFAULT_ANSWER_TOKENS) return {};
  return { maxTokens: Math.min(maxTokens ?? left, left) };
}

function boundBy(bind: RoundRequest['bind'], reply: StoredReply): StoredReply {
  if (bind === undefined || reply.toolCalls.length === 0) return reply;
  return { ...reply, bound: reply.toolCalls.map((call) => bind(call) ?? null) };
}

function digestOf(request: ModelRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 12);
}

function cutInto(text: string, cuts: readonly number[]): readonly string[] {
  let from = 0;
  return cuts.map((length) => {
    from += length;
    return text.slice(from - length, from);
  });
}
