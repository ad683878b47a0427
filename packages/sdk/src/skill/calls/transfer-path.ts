import { hash } from 'node:crypto';
import type { Part } from '@parley/protocol/model/message.js';

/** How often a skill may be given the same input on one path of transfers. */
const MAX_ALIKE = 2;

/** One hand-over on the way from the root of a tree: the skill, and a digest of its input. */
export interface Transferred {
  readonly skill: string;
  readonly input: string;
}

/** A hand-over as it is compared. */
export function transferred(skill: string, parts: readonly Part[]): Transferred {
  return { skill, input: hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16) };
}

/** Why a transfer is refused as a loop: the skills that hand the conversation to each other; undefined where it is none. */
export function loopOf(path: readonly Transferred[], next: Transferred): string | undefined {
  const alike = ({ skill, input }: Transferred): boolean => skill === next.skill && input === next.input;
  if (path.filter(alike).length < MAX_ALIKE) return undefined;
  const first = path.findLastIndex(alike);
  const round = [...path.slice(first), next].map(({ skill }) => skill);
  return `transfer loop ${round.join('→')}`;
}
