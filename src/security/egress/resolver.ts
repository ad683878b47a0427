import { lookup, Resolver } from 'node:dns/promises';
import { EgressTransportError } from './egress.errors.js';

/** All addresses of a name, as text. Rejects when there is none; settles soon after `signal` aborts. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks the name servers for A and AAAA records. It uses neither the search domains nor the hosts file, so that a name
 * cannot turn into one of the network's own, and no thread of Node's pool, so that a name server that hangs holds up
 * no other caller (`dns.lookup` has four threads for the whole process).
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

/** Asks the system, hosts file and search domains included: for names that the operator has put on the allow-list. */
export const resolveListedName: Resolve = async (name) => {
  const answers = await lookup(name, { all: true });
  return answers.map((answer) => answer.address);
};
