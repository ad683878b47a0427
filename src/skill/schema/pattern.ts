import { createContext, Script } from 'node:vm';
import { type Budget, leftMs, SchemaTooHard } from './budget.js';

/** Characters of a pattern. */
const MOST_PATTERN = 1000;

const sandbox = createContext({ pattern: '', text: '' });
const test = new Script('new RegExp(pattern, "u").test(text)');

/**
 * Whether a text matches a foreign pattern. It runs with a time limit, which ends a pattern that backtracks without an end; nothing
 * else in Node can. @throws SchemaTooHard
 */
export function matchesPattern(pattern: string, text: string, budget: Budget): boolean {
  if (pattern.length > MOST_PATTERN) throw new SchemaTooHard('it has a pattern that is too long');
  sandbox.pattern = pattern;
  sandbox.text = text;
  try {
    const found: unknown = test.runInContext(sandbox, { timeout: Math.max(1, Math.floor(leftMs(budget))) });
    return found === true;
  } catch (error) {
    const isLate = error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    throw new SchemaTooHard(isLate ? 'it has a pattern that takes too long' : 'it has a pattern that is none');
  } finally {
    sandbox.text = '';
  }
}
