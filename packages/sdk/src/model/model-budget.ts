import { SkillFailure } from '../skill/skill-failure.js';
import type { GrantedUse } from '../skill/model-use.js';
import type { ModelPrices, ModelUsage } from './model.port.js';

/** Bounds of the model calls of one turn of a task. */
export interface ModelLimits {
  /** Tokens of all calls, in and out. */
  readonly maxTokens: number;
  readonly maxCalls: number;
  /** Prices of models that name none; default 0. */
  readonly prices?: ModelPrices;
  /** How long one call may wait for its provider, ms; default ten minutes. */
  readonly maxWaitMs?: number;
}

/** Tokens that are reserved for an answer whose request and model name no maximum. */
export const DEFAULT_ANSWER_TOKENS = 16_384;

export const FREE: ModelPrices = { in: 0, out: 0 };

/** A token has about four characters of English text; used only where a model does not count. */
const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(text: string): number {
  return tokensOfLength(text.length);
}

/** The same of a text of this length. */
export function tokensOfLength(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Tokens that count in limits: input from a cache costs money only. */
export function countedTokens({ input, output, cached = 0 }: ModelUsage): number {
  return Math.max(0, input - cached) + output;
}

/** The cost of a call in millionths: a million tokens at a price of 1 cost a million of them. */
export function microsOf({ input, output, cached = 0, written = 0 }: ModelUsage, prices: ModelPrices): number {
  const fresh = Math.max(0, input - cached - written);
  const { in: price, cached: ofCached = price, written: ofWritten = price, out } = prices;
  return fresh * price + cached * ofCached + written * ofWritten + output * out;
}

/** Thrown when a turn, its tree or its tenant has used its budget of models. The caller reads the text. */
export class ModelBudgetSpent extends SkillFailure {
  constructor(
    text: string,
    /** Which budget. */
    readonly limit: 'turn-tokens' | 'turn-calls' | Extract<GrantedUse, { kind: 'spent' }>['limit'],
  ) {
    super(text);
  }
}

/** Usage of one turn, counted from journaled replies, so that a repeated run counts the same. */
export class ModelBudget {
  private tokens = 0;
  private calls = 0;
  private readonly asked = new Map<string, number>();

  constructor(private readonly limits: ModelLimits) {}

  /**
   * Begins a call; returns its name in the turn: its position, and a number where a position is used again. Calls at the same time have
   * the same names in each run, whatever their order. Throws `ModelBudgetSpent`.
   */
  begin(place: string): string {
    const { maxCalls, maxTokens } = this.limits;
    if (this.calls >= maxCalls) {
      throw new ModelBudgetSpent(
        `The task has made ${String(maxCalls)} model calls, which is its limit.`,
        'turn-calls',
      );
    }
    if (this.left <= 0) throw spent(maxTokens);
    this.calls += 1;
    const times = (this.asked.get(place) ?? 0) + 1;
    this.asked.set(place, times);
    return times === 1 ? place : `${place}#${String(times)}`;
  }

  /** Tokens that are left. */
  get left(): number {
    return this.limits.maxTokens - this.tokens;
  }

  /** Throws `ModelBudgetSpent` once a streaming answer has used up the remaining or the granted tokens. */
  watch(inputTokens: number, granted = Infinity): (piece: string) => void {
    let output = 0;
    return (piece) => {
      output += piece.length / CHARACTERS_PER_TOKEN;
      if (inputTokens + output > this.left) throw spent(this.limits.maxTokens);
      if (inputTokens + output > granted) throw new ModelBudgetSpent(BUDGET_OF_TREE, 'tokens');
    };
  }

  settle(usage: ModelUsage): void {
    this.tokens += countedTokens(usage);
  }
}

function spent(maxTokens: number): ModelBudgetSpent {
  return new ModelBudgetSpent(`The task has used its budget of ${String(maxTokens)} model tokens.`, 'turn-tokens');
}

const BUDGET_OF_TREE = 'The task and those that work with it have used what was left of their budget of model tokens.';

/** Why the budget of a tree or a tenant has refused a call; the caller reads the text. */
export function spentUse({ limit, most }: Extract<GrantedUse, { kind: 'spent' }>): ModelBudgetSpent {
  return new ModelBudgetSpent(SPENT[limit](most), limit);
}

const SPENT: Readonly<Record<Extract<GrantedUse, { kind: 'spent' }>['limit'], (most: number) => string>> = {
  tokens: (most) => `The task and those that work with it have used their budget of ${String(most)} model tokens.`,
  money: (most) =>
    `The task and those that work with it have used their budget of ${(most / 1_000_000).toFixed(2)} for models.`,
  calls: (most) => `The task and those that work with it have made ${String(most)} model calls, which is their limit.`,
  'tenant-tokens': () => 'The tenant has used its model tokens of this day.',
  'tenant-money': () => 'The tenant has used its budget for models of this day.',
};
