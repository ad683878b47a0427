import type { Surroundings } from '../../auth/incoming/incoming-call.js';
import { ADDRESS_HEADERS } from '../../platform/address/listed-address.js';

/** `Vary` of an answer with addresses of the service in it: caches keep one for each address. */
export function varyByAddress(
  { addresses = [] }: Surroundings,
  ...others: readonly string[]
): Readonly<Record<string, string>> {
  const names = addresses.length < 2 ? others : [...others, ADDRESS_HEADERS];
  return names.length === 0 ? {} : { vary: names.join(', ') };
}
