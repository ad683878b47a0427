import type { Replay } from './replay.js';

/** Begins the names of steps that are rounds of a language model. */
export const ROUND = 'model ';

/**
 * The name of a step in the journal of its turn. A round keeps the name that it was journaled by: its request may have changed since,
 * by another prompt or another tool, and its position has not.
 */
export function journaledName(replay: Replay, name: string): string {
  const recorded = replay.journal.call(replay.position)?.what;
  return name.startsWith(ROUND) && recorded?.startsWith(`step ${ROUND}`) === true
    ? recorded.slice('step '.length)
    : name;
}
