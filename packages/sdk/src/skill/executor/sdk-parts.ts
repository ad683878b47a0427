import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';

/** A part as the official SDK (`@a2a-js/sdk` 1.x) has it in memory. */
export interface SdkPart {
  readonly content?: { readonly $case: string; readonly value: unknown } | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly filename?: string;
  readonly mediaType?: string;
}

/** A message as the official SDK has it; members that are not set are empty. */
export interface SdkMessage {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly role: number;
  readonly parts: readonly SdkPart[];
  readonly metadata: JsonObject | undefined;
  readonly extensions: readonly string[];
  readonly referenceTaskIds: readonly string[];
}

const ROLES = { ROLE_USER: 1, ROLE_AGENT: 2 } as const;

/** A message for an executor. */
export function sdkMessageOf(
  message: Message,
  ids: { readonly taskId: string; readonly contextId: string },
): SdkMessage {
  const { messageId, role, parts, metadata, extensions = [], referenceTaskIds = [] } = message;
  return {
    ...{ messageId, ...ids, role: ROLES[role], parts: parts.map(sdkPartOf), metadata },
    ...{ extensions: [...extensions], referenceTaskIds: [...referenceTaskIds] },
  };
}

function sdkPartOf(part: Part): SdkPart {
  return {
    content: contentOf(part),
    metadata: part.metadata,
    filename: part.filename ?? '',
    mediaType: part.mediaType ?? '',
  };
}

function contentOf(part: Part): { readonly $case: string; readonly value: unknown } {
  if ('text' in part) return { $case: 'text', value: part.text };
  if ('data' in part) return { $case: 'data', value: part.data };
  if ('url' in part) return { $case: 'url', value: part.url };
  return { $case: 'raw', value: Buffer.from(part.raw, 'base64') };
}

/** The parts that an executor has published. A part without content is left out. */
export function partsOf(parts: readonly SdkPart[] = []): readonly Part[] {
  return parts.flatMap(({ content, metadata, filename = '', mediaType = '' }): readonly Part[] => {
    const more = {
      ...(metadata === undefined ? {} : { metadata }),
      ...(filename === '' ? {} : { filename }),
      ...(mediaType === '' ? {} : { mediaType }),
    };
    if (content === undefined) return [];
    const { $case: kind, value } = content;
    if (kind === 'text') return [{ text: String(value), ...more }];
    if (kind === 'url') return [{ url: String(value), ...more }];
    if (kind === 'data') return [{ data: value, ...more }];
    return kind === 'raw' ? [{ raw: Buffer.from(value as Uint8Array).toString('base64'), ...more }] : [];
  });
}
