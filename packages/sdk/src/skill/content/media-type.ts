import type { Part } from '@parley/protocol/model/message.js';
import { kindOf } from './part-kind.js';

/** Names that older cards and clients use instead of media types. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['text', 'text/plain'],
  ['data', 'application/json'],
  ['file', '*/*'],
  ['*', '*/*'],
]);

const WITHOUT_FILES = ['text/plain', 'application/json'];

/** Lower case, without parameters (`text/plain; charset=utf-8` → `text/plain`), `text` and `*` written out. */
function normalMediaType(mode: string): string {
  const bare = (mode.split(';')[0] ?? '').trim().toLowerCase();
  return SHORT_NAMES.get(bare) ?? bare;
}

/** Whether some media type fits both; either may be a range (`image/*`). */
export function mediaTypesOverlap(one: string, other: string): boolean {
  if (one === other) return true;
  const [type = '', subtype = ''] = normalMediaType(one).split('/');
  const [otherType = '', otherSubtype = ''] = normalMediaType(other).split('/');
  return fits(type, otherType) && fits(subtype, otherSubtype);
}

/** The media type of a part; undefined for a file without one. */
export function mediaTypeOf(part: Part): string | undefined {
  if (part.mediaType !== undefined && part.mediaType !== '') {
    return normalMediaType(part.mediaType);
  }
  switch (kindOf(part)) {
    case 'text':
      return 'text/plain';
    case 'data':
      return 'application/json';
    case 'raw':
    case 'url':
    case undefined:
      return undefined;
  }
}

/** Whether a skill with these input modes accepts a part. A file of unknown type is accepted where any file is. */
export function acceptsPart(modes: readonly string[], part: Part): boolean {
  const mediaType = mediaTypeOf(part);
  if (mediaType === undefined) {
    return modes.some((mode) => !WITHOUT_FILES.includes(normalMediaType(mode)));
  }
  return modes.some((mode) => mediaTypesOverlap(mode, mediaType));
}

/** Whether a caller accepts one of these output modes; a caller without accepted modes accepts all. */
export function canProduce(outputModes: readonly string[], accepted: readonly string[]): boolean {
  return accepted.length === 0 || outputModes.some((mode) => acceptsMode(accepted, mode));
}

/**
 * Whether one of the modes that a caller accepts (`acceptedOutputModes`) fits a media type; a caller without modes accepts
 * all. `text`, as callers of 0.1 and 0.2 write it, is text of any kind: their samples know no other.
 */
export function acceptsMode(accepted: readonly string[], mode: string): boolean {
  return (
    accepted.length === 0 ||
    accepted.some((wanted) => mediaTypesOverlap(mode, normalMediaType(wanted === 'text' ? 'text/*' : wanted)))
  );
}

function fits(one: string, other: string): boolean {
  return one === other || one === '*' || other === '*';
}
