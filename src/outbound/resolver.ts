import { lookup, Resolver } from 'node:dns/promises';
import { EgressTransportError } from './egress.errors.js';

/** All addresses of a name, as text. Rejects when there is none; settles soon after `signal` aborts. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Queries the name servers for A and AAAA records. Uses neither search domains nor the hosts file, so that a name
 * cannot become one of the network's own, and no thread of Node's pool, so that a hanging name server blocks no other
 * caller (`dns.lookup` has four threads per process).
 */
export const resolvePublicName: Resolve = async (name, signal) => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const cancel = (): void => {
    resolver.cancel();
  };
  signal.addEventListener('abort', cancel, { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  signal.removeEventListener('abort', cancel);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const failure = answers.find((answer) => answer.status === 'rejected');
  throw new EgressTransportError('dns', { cause: failure?.reason });
};

/** Uses the system's resolver with hosts file and search domains: for names on the allow-list. */
export const resolveListedName: Resolve = async (name) => {
  const answers = await lookup(name, { all: true });
  return answers.map((answer) => answer.address);
};
