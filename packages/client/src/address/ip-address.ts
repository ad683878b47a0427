import ipaddr from 'ipaddr.js';

const DIGITS_AND_DOTS = /^[\d.]+$/;

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** An address block: its first address and its prefix length. */
export type AddressBlock = readonly [IpAddress, number];

/**
 * Reads an address in the forms that a resolver or a URL parser gives: dotted decimal, or IPv6 without a zone.
 * `::ffff:a.b.c.d` becomes the IPv4 address it maps, because that is where the kernel connects.
 */
export function parseAddress(text: string): IpAddress | undefined {
  // Names come here more often than addresses, and ipaddr.js throws and catches an error for each.
  if (!text.includes(':')) return DIGITS_AND_DOTS.test(text) ? parseIPv4(text) : undefined;
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function parseIPv4(text: string): ipaddr.IPv4 | undefined {
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
}

/** The one text of an address, to compare two of them. */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

export function blockOf(cidr: string): AddressBlock {
  return ipaddr.parseCIDR(cidr);
}

export function isInBlock(address: IpAddress, [start, prefix]: AddressBlock): boolean {
  if (address instanceof ipaddr.IPv4) return start instanceof ipaddr.IPv4 && address.match(start, prefix);
  return start instanceof ipaddr.IPv6 && address.match(start, prefix);
}

export function isInAny(address: IpAddress, blocks: readonly AddressBlock[]): boolean {
  return blocks.some((block) => isInBlock(address, block));
}

/** IPv6 blocks that carry an IPv4 address, with the byte at which it begins (RFC 4291, 2765, 6052, 8215, 3056). */
const CARRIERS: readonly (readonly [AddressBlock, number])[] = [
  [blockOf('::/96'), 12],
  [blockOf('::ffff:0:0:0/96'), 12],
  [blockOf('64:ff9b::/96'), 12],
  [blockOf('64:ff9b:1::/48'), 12],
  [blockOf('2002::/16'), 2],
];

/** Whether the interface id says that the last four bytes are an IPv4 address (ISATAP, RFC 5214 §6.1). */
export function isIsatap(address: ipaddr.IPv6): boolean {
  const marker = address.parts[4];
  return (marker === 0 || marker === 0x0200) && address.parts[5] === 0x5efe;
}

/** The IPv4 address that an IPv6 address leads to through a translator or a tunnel. */
export function embeddedIPv4(address: IpAddress): ipaddr.IPv4 | undefined {
  if (address instanceof ipaddr.IPv4) return undefined;
  const carrier = CARRIERS.find(([block]) => isInBlock(address, block));
  const offset = carrier?.[1] ?? (isIsatap(address) ? 12 : undefined);
  return offset === undefined ? undefined : new ipaddr.IPv4(address.toByteArray().slice(offset, offset + 4));
}
