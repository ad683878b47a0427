import { Logger } from '@nestjs/common';
import { mediaTypesOverlap } from '@parley/sdk/skill/content/media-type.js';
import {
  DEFAULT_ANSWER_TOKENS,
  estimatedTokens,
  FREE,
  microsOf,
  tokensOfLength,
} from '@parley/sdk/model/model-budget.js';
import { ModelFault, type ModelFaultKind } from '@parley/sdk/model/model-fault.js';
import type {
  ModelCallOptions,
  ModelPort,
  ModelPrices,
  ModelReply,
  ModelRequest,
  ModelTry,
} from '@parley/sdk/model/model.port.js';
import type { RoleEntry, TenantRules } from '../file/models-file.js';
import type { CallEnd, ModelLines } from '../line/model-lines.js';
import type { ModelBook } from './model-book.js';

/** Another model may answer in place of one with such a fault. */
const PASSING: ReadonlySet<ModelFaultKind> = new Set<ModelFaultKind>(['rate', 'unavailable', 'spent', 'too-long']);
/** An estimate of a prompt may be too low by this. */
const ESTIMATE_MARGIN = 1.05;

export interface RoleSources {
  readonly book: ModelBook;
  /** Read at the first call. */
  readonly lines: () => ModelLines;
  readonly failedOver?: (role: string, why: string) => void;
}

/**
 * The model of a role: the first of its candidates that takes the call. Another one is asked only until the first piece of an answer
 * was seen, and never where a request was refused for what it says.
 */
export class RoleModel implements ModelPort {
  private readonly log = new Logger('Models');

  /** @param role absent: the default of the file */
  constructor(
    private readonly sources: RoleSources,
    private readonly role?: string,
  ) {}

  get name(): string {
    return this.role ?? this.file.default.name;
  }

  get roles(): readonly string[] | undefined {
    return this.file.open === undefined ? [...this.file.models.keys()] : undefined;
  }

  get prices(): ModelPrices {
    const prices = this.candidates.map(({ price = FREE }) => price);
    const most = (of: (price: ModelPrices) => number | undefined): number =>
      Math.max(0, ...prices.map((p) => of(p) ?? p.in));
    return { in: most((price) => price.in), written: most(({ written }) => written), out: most((price) => price.out) };
  }

  get reads(): readonly string[] {
    return this.candidates.slice(0, 1).flatMap(typesOf);
  }

  named(role: string): RoleModel {
    return new RoleModel(this.sources, role);
  }

  async complete(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply> {
    const { book } = this.sources;
    const { tenant = '' } = options;
    const rules = book.rulesOf(tenant);
    const allowed = this.candidates.filter((entry) => mayUse(entry, rules) && readsAll(entry, request));
    if (allowed.length === 0) throw this.forbidden(tenant);
    const seen = { characters: 0 };
    const onText = (piece: string): void => {
      seen.characters += piece.length;
      options.onText?.(piece);
    };
    const faults: ModelFault[] = [];
    const tries: ModelTry[] = [];
    for (const entry of allowed) {
      const began = performance.now();
      try {
        const call = { entry, rules, tenant, request, seen };
        const reply = await this.asked(call, options.onText === undefined ? options : { ...options, onText });
        if (tries.length > 0) await this.passedBy(tries, options.idempotencyKey, { tenant, rules });
        return { ...reply, model: entry.name, provider: entry.provider.type, ...(tries.length === 0 ? {} : { tries }) };
      } catch (error) {
        if (!(error instanceof ModelFault) || seen.characters > 0 || !PASSING.has(error.kind)) throw error;
        faults.push(error);
        tries.push({ model: entry.name, why: error.kind, ms: Math.round(performance.now() - began) });
      }
    }
    throw leastOf(faults);
  }

  private get file() {
    return this.sources.book.current;
  }

  /** The models that may answer, the wished one first. */
  private get candidates(): readonly RoleEntry[] {
    const { models, default: standard, open } = this.file;
    const { role } = this;
    const first = role === undefined ? standard : (models.get(role) ?? open?.(role));
    if (first === undefined) return [];
    return [first, ...(first.fallback ?? []).flatMap((name) => models.get(name) ?? [])];
  }

  /** One call of one model, in the line of its account, within the tenant's budget of the model. */
  private async asked(call: Call, options: ModelCallOptions): Promise<ModelReply> {
    const { entry, rules, tenant, request, seen } = call;
    checkSize(entry, request);
    const lines = this.sources.lines();
    const { account, port } = this.sources.book.portOf(entry, tenant, rules);
    const { idempotencyKey: ticket } = options;
    const place = { account, ticket, tenant, weight: rules.weight, limits: entry.provider.limits };
    const settle = await this.reserved(call, account);
    const entered = await lines.enter(place);
    if (entered.kind === 'later') {
      await settle?.(0);
      const text = `${account} has no capacity, ${String(entered.ahead)} calls are ahead`;
      throw new ModelFault('rate', text, { retryAfterMs: entered.waitMs });
    }
    const began = performance.now();
    let end: Omit<CallEnd, 'ms'> = { sign: 'none' };
    const { price = FREE } = entry;
    let micros = 0;
    try {
      const reply = await port.complete(withDefaults(request, entry), options);
      end = { sign: 'succeeded' };
      micros = microsOf(reply.usage, price);
      return { ...reply, micros };
    } catch (error) {
      end = endOf(error);
      // A provider takes money for an answer that was cut or canceled, too.
      const { characters } = seen;
      if (characters > 0) micros = microsOf({ input: inputOf(request), output: tokensOfLength(characters) }, price);
      throw error;
    } finally {
      await entered.leave({ ...end, ms: performance.now() - began });
      await settle?.(micros);
    }
  }

  /** Reserves money of the tenant's day for the model. Undefined where it has no such budget. */
  private async reserved({ entry, rules, tenant, request }: Call, account: string) {
    const cost = rules.daily.get(entry.name);
    if (cost === undefined) return undefined;
    const price = entry.price ?? FREE;
    const output = request.maxTokens ?? entry.answer ?? DEFAULT_ANSWER_TOKENS;
    const micros = inputOf(request) * Math.max(price.in, price.written ?? 0) + output * price.out;
    const spending = { account, tenant, model: entry.name, micros, maxMicros: cost * 1_000_000 };
    const settle = await this.sources.lines().spend(spending);
    if (settle === undefined)
      throw new ModelFault('spent', `The tenant has spent its budget of ${entry.name} for today`);
    return settle;
  }

  /** Gives up the places of a call in the lines of models that another one has answered for. */
  private async passedBy(
    tries: readonly ModelTry[],
    ticket: string,
    { tenant, rules }: Pick<Call, 'tenant' | 'rules'>,
  ): Promise<void> {
    this.log.warn({ event: 'model.failed-over', role: this.name, tries });
    for (const { model, why } of tries) {
      this.sources.failedOver?.(model, why);
      const entry = this.file.models.get(model);
      if (entry === undefined || why !== 'rate') continue;
      await this.sources.lines().drop(this.sources.book.portOf(entry, tenant, rules).account, ticket);
    }
  }

  private forbidden(tenant: string): ModelFault {
    if (this.candidates.length === 0) return new ModelFault('refused', `There is no model of the role "${this.name}"`);
    this.log.warn({ event: 'model.not-allowed', role: this.name, tenant });
    return new ModelFault('refused', `The tenant may use no model of the role "${this.name}"`);
  }
}

interface Call {
  readonly entry: RoleEntry;
  readonly rules: TenantRules;
  readonly tenant: string;
  readonly request: ModelRequest;
  /** Characters of the answer that have come so far. */
  readonly seen: { readonly characters: number };
}

function mayUse({ name, provider }: RoleEntry, { models, regions }: TenantRules): boolean {
  return (models?.includes(name) ?? true) && (regions?.some((region) => region === provider.region) ?? true);
}

function withDefaults(request: ModelRequest, { answer, temperature }: RoleEntry): ModelRequest {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...request,
    ...(request.maxTokens === undefined && answer !== undefined ? { maxTokens: answer } : {}),
  };
}

/** @throws ModelFault before a byte is sent */
function checkSize({ name, context, answer = 0 }: RoleEntry, request: ModelRequest): void {
  if (context === undefined) return;
  const needed = Math.ceil(inputOf(request)) + Math.min(request.maxTokens ?? answer, answer);
  if (needed > context)
    throw new ModelFault('too-long', `${name} reads ${String(context)} tokens, the request has ${String(needed)}`);
}

function inputOf({ messages, tools = [] }: ModelRequest): number {
  const described = tools.length === 0 ? 0 : estimatedTokens(JSON.stringify(tools));
  return (estimatedTokens(messages.map(({ text }) => text).join(' ')) + described) * ESTIMATE_MARGIN;
}

/** What a fault says of the account. One that refuses a request is alive. */
function endOf(error: unknown): Omit<CallEnd, 'ms'> {
  if (!(error instanceof ModelFault)) return { sign: 'none' };
  switch (error.kind) {
    case 'rate':
      return { sign: 'failed', laterMs: error.retryAfterMs ?? 5_000 };
    case 'unavailable':
      return { sign: 'failed' };
    case 'spent':
    case 'refused':
    case 'too-long':
    case 'filtered':
    case 'malformed':
      return { sign: 'refused' };
  }
}

/** The fault of several models that a wait mends soonest. */
function leastOf(faults: readonly ModelFault[]): ModelFault {
  const waits = faults.filter(({ kind }) => kind === 'rate');
  const [soonest] = [...waits].sort((a, b) => (a.retryAfterMs ?? 5_000) - (b.retryAfterMs ?? 5_000));
  const found = soonest ?? faults.find(({ kind }) => kind === 'unavailable') ?? faults[0];
  return found ?? new ModelFault('unavailable', 'No model was asked');
}

/** Media types of the files that a model reads. */
function typesOf({ can = [] }: RoleEntry): readonly string[] {
  return can.filter((one) => one.includes('/'));
}

/** Whether a model reads all files of a request: one that does not would answer as if there were none. */
function readsAll(entry: RoleEntry, { messages }: ModelRequest): boolean {
  const files = messages.flatMap((message) => (message.role === 'user' ? (message.files ?? []) : []));
  const types = typesOf(entry);
  return files.every(({ mediaType }) => types.some((type) => mediaTypesOverlap(type, mediaType)));
}
