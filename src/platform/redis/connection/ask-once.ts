import { withDeadline } from './deadline.js';
import { isInProtectedMode } from './protected-mode.js';
import { connect, type RedisClient } from './redis-client.js';
import { complaintOf } from './redis-nodes.js';

const REACH_MS = 3_000;
const PROTECTED_MODE =
  'it is in protected mode, which refuses other hosts: set a password there (requirepass), or protected-mode no';

/**
 * Connects to Redis, runs `ask`, and disconnects. Rejects at once when Redis refuses, and with the connection's error
 * when there is no answer within three seconds.
 */
export async function askOnce<T>(url: string, ask: (client: RedisClient) => Promise<T>): Promise<T> {
  const client = connect(url, 'first');
  let complaint = new Error('no answer');
  client.on('error', (error: Error) => {
    complaint = new Error(complaintOf(error), { cause: error });
  });
  try {
    return await withDeadline(ask(client), REACH_MS, () => complaint);
  } catch (error) {
    if (await isInProtectedMode(url)) throw new Error(PROTECTED_MODE, { cause: error });
    throw error;
  } finally {
    client.disconnect();
  }
}
