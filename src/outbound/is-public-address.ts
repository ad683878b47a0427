import ipaddr from 'ipaddr.js';
import {
  blockOf,
  embeddedIPv4,
  isInAny,
  isInBlock,
  isIsatap,
  type IpAddress,
} from '@parley/client/address/ip-address.js';

/** A public-looking address that serves the secrets of the machine (Azure's wire server). */
const PUBLIC_LOOKING_V4 = [blockOf('168.63.129.16/32')];

/** The only IPv6 block that IANA allocates for the Internet; every other address is refused. */
const GLOBAL_UNICAST_V6 = blockOf('2000::/3');

/** Protocol assignments with Teredo and ORCHID, documentation, 6to4, AS112, the returned 6bone, documentation again. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20'].map(
  blockOf,
);

/** Link-local addresses and the metadata services of the clouds: no configuration may open them. */
const NEVER = [
  '169.254.0.0/16',
  'fe80::/10',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
].map(blockOf);

/** Whether an address is refused even if the allow-list has it. */
export function isNeverAllowed(address: IpAddress): boolean {
  const embedded = embeddedIPv4(address);
  return isInAny(address, NEVER) || (embedded !== undefined && isInAny(embedded, NEVER));
}

/** Whether an address is a public one: never this machine, its network or a reserved block. */
export function isPublic(address: IpAddress): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !isInAny(address, PUBLIC_LOOKING_V4);
  return isInBlock(address, GLOBAL_UNICAST_V6) && !isInAny(address, SPECIAL_V6) && !isIsatap(address);
}
