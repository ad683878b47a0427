import { SkillFailure } from '../skill/skill-failure.js';
import type { ModelUsage } from './model.port.js';

/** Bounds of the model calls of one turn of a task. */
export interface ModelLimits {
  /** Tokens of all calls, in and out. */
  readonly maxTokens: number;
  readonly maxCalls: number;
}

/** A token has about four characters of English text; used only where a model does not count. */
const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** A turn has used what it may use of models. The caller reads the text. */
export class ModelBudgetSpent extends SkillFailure {}

/** What one turn has used. It is counted from journaled replies, so that a repeated run counts the same. */
export class ModelBudget {
  private tokens = 0;
  private calls = 0;

  constructor(private readonly limits: ModelLimits) {}

  /** Begins a call; returns its number in the turn. Throws `ModelBudgetSpent`. */
  begin(): number {
    const { maxCalls, maxTokens } = this.limits;
    if (this.calls >= maxCalls) {
      throw new ModelBudgetSpent(`The task has made ${String(maxCalls)} model calls, which is its limit.`);
    }
    if (this.left <= 0) throw spent(maxTokens);
    this.calls += 1;
    return this.calls;
  }

  /** Tokens that are left. */
  get left(): number {
    return this.limits.maxTokens - this.tokens;
  }

  /** Throws `ModelBudgetSpent` once an answer that is still coming has used up what was left. */
  watch(inputTokens: number): (piece: string) => void {
    let output = 0;
    return (piece) => {
      output += piece.length / CHARACTERS_PER_TOKEN;
      if (inputTokens + output > this.left) throw spent(this.limits.maxTokens);
    };
  }

  settle({ input, output }: ModelUsage): void {
    this.tokens += input + output;
  }
}

function spent(maxTokens: number): ModelBudgetSpent {
  return new ModelBudgetSpent(`The task has used its budget of ${String(maxTokens)} model tokens.`);
}
