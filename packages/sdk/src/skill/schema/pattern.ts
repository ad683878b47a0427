import { createContext, Script } from 'node:vm';
import { type Budget, leftMs, SchemaTooHard } from './budget.js';

/** Characters of a pattern. */
const MAX_PATTERN = 1000;

const sandbox = createContext({ pattern: '', text: '' });
const test = new Script('new RegExp(pattern, "u").test(text)');

/**
 * Whether a text matches a foreign pattern. It runs with a time limit, which ends a pattern that backtracks without an end; nothing
 * else in Node can. That limit is wall time, which also passes while the machine runs others: the match is repeated for as long as
 * the budget, in processor time, has some left. @throws SchemaTooHard
 */
export function matchesPattern(pattern: string, text: string, budget: Budget): boolean {
  if (pattern.length > MAX_PATTERN) throw new SchemaTooHard('it has a pattern that is too long');
  for (;;) {
    const left = leftMs(budget);
    if (left <= 0) throw new SchemaTooHard('it has a pattern that takes too long');
    const found = matchWithin(Math.max(1, Math.floor(left)), pattern, text);
    if (found !== undefined) return found;
  }
}

/** Undefined when the time was up. */
function matchWithin(timeout: number, pattern: string, text: string): boolean | undefined {
  sandbox.pattern = pattern;
  sandbox.text = text;
  try {
    return test.runInContext(sandbox, { timeout }) === true;
  } catch (error) {
    // Errors of the other realm are no instances of this one's.
    const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw new SchemaTooHard('it has a pattern that is none', { cause: error });
  } finally {
    sandbox.text = '';
  }
}
