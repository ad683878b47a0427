import type { Part } from '../model/message.js';

/** A content block of a tool's result. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceContents }
  | ResourceLink;

/** A reference to content that is read apart. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
}

/** The content of a resource: a text, or bytes as base64. */
export type ResourceContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** A part and the name under which it can be read again. */
export interface NamedPart {
  readonly part: Part;
  readonly uri: string;
  readonly name: string;
  /** Whether `uri` can be read; parts of an answer without a task cannot, so they are never left out. */
  readonly isStored: boolean;
}

/** Characters of all blocks of one answer; further content is linked. */
export const MAX_ANSWER = 1024 * 1024;
/** Bytes of a file that is put into the answer and not linked. */
const MAX_EMBEDDED = 64 * 1024;

const BYTES = 'application/octet-stream';
const TEXTUAL = /^(text\/|application\/(json|xml|[\w.+-]+\+(json|xml))$)/;

/** Parts as content blocks, in their order (MCP-SRV-6). @param most characters for all of them */
export function contentBlocks(parts: readonly NamedPart[], most = MAX_ANSWER): readonly ContentBlock[] {
  let left = most;
  return parts.map((named) => {
    const block = blockOf(named);
    const size = sizeOf(block);
    if (size > left && named.isStored && block.type !== 'resource_link') return linkTo(named);
    left -= size;
    return block;
  });
}

function blockOf(named: NamedPart): ContentBlock {
  const { part, uri, isStored } = named;
  if ('text' in part) return { type: 'text', text: part.text };
  if ('url' in part) return linkTo({ ...named, uri: part.url });
  if ('raw' in part) {
    const mimeType = part.mediaType ?? BYTES;
    const medium = mimeType.startsWith('image/') ? 'image' : mimeType.startsWith('audio/') ? 'audio' : undefined;
    if (medium !== undefined) return { type: medium, data: part.raw, mimeType };
    const isSmall = part.raw.length * 0.75 <= MAX_EMBEDDED;
    return isSmall || !isStored ? { type: 'resource', resource: contentsOf(part, uri) } : linkTo(named);
  }
  return { type: 'text', text: JSON.stringify('data' in part ? part.data : null) };
}

/** A part as the content of a resource. */
export function contentsOf(part: Part, uri: string): ResourceContents {
  if ('raw' in part) {
    const mimeType = part.mediaType ?? BYTES;
    return TEXTUAL.test(mimeType)
      ? { uri, mimeType, text: Buffer.from(part.raw, 'base64').toString('utf8') }
      : { uri, mimeType, blob: part.raw };
  }
  if ('text' in part) return { uri, mimeType: part.mediaType ?? 'text/plain', text: part.text };
  if ('url' in part) return { uri, mimeType: 'text/uri-list', text: part.url };
  return { uri, mimeType: 'application/json', text: JSON.stringify('data' in part ? part.data : null) };
}

function linkTo({ part, uri, name }: NamedPart): ResourceLink {
  const { mediaType, filename } = part;
  return {
    type: 'resource_link',
    uri,
    name: filename ?? name,
    ...(mediaType === undefined ? {} : { mimeType: mediaType }),
  };
}

function sizeOf(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'image':
    case 'audio':
      return block.data.length;
    case 'resource':
      return 'text' in block.resource ? block.resource.text.length : block.resource.blob.length;
    case 'resource_link':
      return 0;
  }
}
