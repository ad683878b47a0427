import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of the loopback address that nothing listens on now, for programs that must know theirs before they start.
 * @returns {Promise<number>}
 */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('The probe listens on no port');
  return address.port;
}
