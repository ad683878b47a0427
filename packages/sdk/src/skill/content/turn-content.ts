import type { Message, Part, RawPart, UrlPart } from '@parley/protocol/model/message.js';
import { kindOf } from './part-kind.js';
import type { SkillContext } from '../skill.js';

/** A turn's messages sorted by kind of content, as `SkillContext` has them. */
export function turnContent(
  messages: readonly Pick<Message, 'parts'>[],
): Pick<SkillContext, 'text' | 'data' | 'files'> {
  const parts = messages.flatMap((message) => message.parts);
  return {
    text: parts.flatMap((part) => (kindOf(part) === 'text' && 'text' in part ? [part.text] : [])).join('\n'),
    data: parts.flatMap((part) => (kindOf(part) === 'data' && 'data' in part ? [part.data] : [])),
    files: parts.filter(isFile),
  };
}

/** The parts of an artifact: the text of a model comes in pieces, of which the last one is empty, and is one text. */
export function wholeParts(parts: readonly Part[]): readonly Part[] {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  const isInPieces = parts.length > 1 && texts.length === parts.length && texts.at(-1) === '';
  return isInPieces ? [{ text: texts.join('') }] : parts;
}

function isFile(part: Part): part is RawPart | UrlPart {
  const kind = kindOf(part);
  return kind === 'raw' || kind === 'url';
}
