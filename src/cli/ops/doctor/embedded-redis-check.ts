import { resolve } from 'node:path';
import { connect } from '../../../platform/redis/connection/redis-client.js';
import { readRedisFacts, serversText } from '../../../platform/redis/health/redis-policy.js';
import { type Finding, fine } from '../../../main/finding.js';

/** Checks that the embedded Redis of a data folder persists its tasks. @param url absent: none is running */
export async function checkEmbeddedRedis(url: string | undefined, dataDir: string): Promise<readonly Finding[]> {
  if (url === undefined) {
    return [fine('redis', `No service runs on ${resolve(dataDir)}; it starts an embedded Redis`)];
  }
  const client = connect(url, 'command');
  client.on('error', () => undefined);
  try {
    const [facts] = await readRedisFacts(client);
    if (facts?.appendOnly === true)
      return [fine('redis', `Embedded ${serversText([facts])} keeps its data in ${dataDir}`)];
    const text = 'The embedded Redis is in memory only: tasks are lost when the service stops';
    return [{ check: 'redis', severity: 'warn', text, fix: 'Install redis-server, or set REDIS_URL' }];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `The embedded Redis does not answer: ${reason}`;
    return [{ check: 'redis', severity: 'fail', text, fix: 'Restart the service' }];
  } finally {
    client.disconnect();
  }
}
