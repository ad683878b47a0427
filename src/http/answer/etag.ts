import { createHash } from 'node:crypto';

/** A weak entity tag of a document: two texts with the same meaning may share it. */
export function weakEtag(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/** Whether `If-None-Match` names the tag; it compares weakly (RFC 9110 §13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(opaque);
}
