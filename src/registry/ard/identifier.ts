/** An identifier of ARD (appendix C): `urn:air:<publisher>[:<namespace>]:<name>`. */
const IDENTIFIER = /^urn:air:([a-zA-Z0-9.-]+)(?::[a-zA-Z0-9._:-]+)?:[a-zA-Z0-9._-]+$/;
/** Characters of an identifier: as many as a path segment may have with room for its encoding. */
export const MOST_IDENTIFIER = 256;

/** The identifier of an agent by the URL that it is reached at, and its name. */
export function identifierOf(url: string, name: string, kind = 'agent'): string {
  return `urn:air:${publisherOf(url)}:${kind}:${slug(name)}`;
}

/** Whether a text is an identifier. */
export function isIdentifier(text: string): boolean {
  return text.length <= MOST_IDENTIFIER && IDENTIFIER.test(text);
}

/** The publisher that an identifier names, in lower case; empty where the text is none. */
export function publisherIn(identifier: string): string {
  return (IDENTIFIER.exec(identifier)?.[1] ?? '').toLowerCase();
}

/** An identifier with its publisher in lower case, so that one agent has one. */
export function canonical(identifier: string): string {
  return identifier.replace(/^urn:air:[^:]+/, (publisher) => publisher.toLowerCase());
}

/**
 * Whether a URL is of the host that an identifier names as its publisher. Over HTTPS at its own port only: who has another port of
 * a host does not speak for it. Plain HTTP is for hosts that the operator has allowed. No identifier names an address of IPv6.
 */
export function isOfPublisher(identifier: string, url: string): boolean {
  const { protocol, port, hostname } = new URL(url);
  return publisherIn(identifier) === hostname && (protocol !== 'https:' || port === '');
}

/** The host without its port, as a URN may have it. An address of IPv6 has characters that it may not. */
export function publisherOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? 'localhost' : hostname;
}

const MOST_SLUG = 100;

function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .slice(0, MOST_SLUG)
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'agent' : plain;
}
