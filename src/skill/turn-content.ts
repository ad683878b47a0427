import type { Message } from '../protocol/message.js';
import type { SkillContext } from './skill.js';

/** A turn's messages sorted by kind of content, as `SkillContext` has them. */
export function turnContent(messages: readonly Message[]): Pick<SkillContext, 'text' | 'data' | 'files'> {
  const parts = messages.flatMap((message) => message.parts);
  return {
    text: parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'),
    data: parts.flatMap((part) => ('data' in part ? [part.data] : [])),
    files: parts.flatMap((part) => ('raw' in part || 'url' in part ? [part] : [])),
  };
}
