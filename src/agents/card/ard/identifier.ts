/** An identifier of ARD (appendix C): `urn:air:<publisher>[:<namespace>]:<name>`. */
const IDENTIFIER = /^urn:air:([a-zA-Z0-9.-]+)(?::[a-zA-Z0-9._:-]+)?:[a-zA-Z0-9._-]+$/;
/** Characters of an identifier: fits into a path segment in encoded form. */
export const MAX_IDENTIFIER = 256;

/** The identifier of an agent, from its URL and name. */
export function identifierOf(url: string, name: string, kind = 'agent'): string {
  return `urn:air:${publisherOf(url)}:${kind}:${slug(name)}`;
}

/** Whether a text is an identifier. */
export function isIdentifier(text: string): boolean {
  return text.length <= MAX_IDENTIFIER && IDENTIFIER.test(text);
}

/** The publisher in an identifier, in lower case; empty for an invalid one. */
export function publisherIn(identifier: string): string {
  return (IDENTIFIER.exec(identifier)?.[1] ?? '').toLowerCase();
}

/** An identifier with its publisher in lower case: the canonical form. */
export function canonical(identifier: string): string {
  return identifier.replace(/^urn:air:[^:]+/, (publisher) => publisher.toLowerCase());
}

/**
 * Whether a URL is on the host that an identifier names as its publisher. Requires HTTPS on the default port: another
 * port of a host does not speak for it. Plain HTTP is for hosts that the operator has allowed. No identifier names an
 * IPv6 address.
 */
export function isOfPublisher(identifier: string, url: string): boolean {
  const { protocol, port, hostname } = new URL(url);
  return publisherIn(identifier) === hostname && (protocol !== 'https:' || port === '');
}

/** The host without its port, in URN syntax. An IPv6 address has characters that a URN may not have. */
export function publisherOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? 'localhost' : hostname;
}

const MAX_SLUG = 100;

function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .slice(0, MAX_SLUG)
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'agent' : plain;
}
