import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import type { ClaimedRun, TaskEnd } from '../../tasks/commit/claimed-run.js';
import type { SkillTurn, TurnResult } from './skill-turn.js';

/** A turn of a task whose end is decided, and that has finished work to undo before. */
export interface EndingTurn {
  readonly run: ClaimedRun;
  readonly turn: SkillTurn;
  readonly ending: TaskEnd;
}

/** Runs such turns. */
export interface EndingTurnHandler {
  run(turn: EndingTurn, context: SkillContext): Promise<TurnResult>;
}

/** The end of a task in a service that undoes no work. */
export function endedAsDecided({ state, message }: TaskEnd): TurnResult {
  if (message === undefined) return { kind: 'ends', state };
  const { metadata } = message;
  const text = turnContent([message]).text;
  return { kind: 'ends', state, said: { text, ...(metadata === undefined ? {} : { metadata }) } };
}
