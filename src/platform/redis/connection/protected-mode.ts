import { connect } from 'node:net';
import { parseRedisAddress, type RedisNode } from '../../config/checks/redis-address.js';

const ANSWER_MS = 1_000;

/**
 * Whether a server of the address is in protected mode: it has no password and refuses connections of other hosts. It
 * writes so before anything is sent, and closes; a client that has already sent something may not get to read it.
 */
export async function isInProtectedMode(address: string): Promise<boolean> {
  const greetings = await Promise.all(nodesOf(address).map(greetingOf));
  return greetings.some((text) => text.startsWith('-DENIED'));
}

function nodesOf(text: string): readonly RedisNode[] {
  const address = parseRedisAddress(text);
  if (address.kind !== 'single') return address.tls ? [] : address.nodes;
  const { protocol, hostname, port } = new URL(address.url);
  return protocol === 'redis:' ? [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }] : [];
}

/** The first bytes that a server sends by itself; empty when it waits, or cannot be reached. */
function greetingOf({ host, port }: RedisNode): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS });
    const done = (text: string): void => {
      socket.destroy();
      resolve(text);
    };
    socket.once('data', (bytes) => {
      done(bytes.toString('latin1'));
    });
    for (const event of ['timeout', 'error', 'close']) {
      socket.once(event, () => {
        done('');
      });
    }
  });
}
