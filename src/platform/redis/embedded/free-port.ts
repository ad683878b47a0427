import { once } from 'node:events';
import { createServer } from 'node:net';

/** A free loopback port; another process may take it before the caller does. */
export async function freeLoopbackPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was assigned');
  return address.port;
}
