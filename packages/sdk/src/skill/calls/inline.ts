import type { CallOutcome, CallSpec } from './call.js';

/** A skill that is to run within the turn of another one. */
export type InlineCall = Pick<CallSpec, 'key' | 'skillId' | 'input'>;

/** Runs a skill within the turn of another one, once; resolves with its outcome. */
export type InlineMaker = (call: InlineCall) => Promise<CallOutcome>;

/** A context has the maker of such runs, where there is one. */
export const INLINE_MAKER = Symbol('Runs skills within the turn of a context');

/** Undefined for a context that can only call: in a sandbox, and in a test. */
export function inlineMakerOf(context: object): InlineMaker | undefined {
  const make: unknown = Reflect.get(context, INLINE_MAKER);
  return typeof make === 'function' ? (make as InlineMaker) : undefined;
}
