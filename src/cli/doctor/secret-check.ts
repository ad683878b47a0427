import type { Environment } from '../../config/environment.js';
import { PushKeys } from '../../push/push.keys.js';
import { parseRecord, secretsOf } from '../../push/push-record.js';
import { connect } from '../../redis/redis-client.js';
import { scanKeys } from '../../redis/scan-keys.js';
import { parseKeyRing } from '../../secret/key-ring.js';
import { SecretBox } from '../../secret/secret-box.js';
import type { Finding } from './finding.js';

/** So many stored secrets are tried, and so many tasks looked at to find them. */
const MOST_OPENED = 200;
const MOST_TASKS = 100_000;

/** Whether SECRET_KEYS opens what the service has sealed with it. Both must be there and sound. */
export async function checkSecrets({ REDIS_URL, KEY_PREFIX, SECRET_KEYS }: Environment): Promise<readonly Finding[]> {
  if (REDIS_URL === undefined || SECRET_KEYS === undefined) return [];
  const box = new SecretBox(parseKeyRing(SECRET_KEYS));
  let [tried, closed] = [0, 0];
  for await (const record of sealedRecords(REDIS_URL, KEY_PREFIX)) {
    tried += 1;
    if (!opens(record, box)) closed += 1;
    if (tried === MOST_OPENED) break;
  }
  if (closed === 0) return [];
  const text = `SECRET_KEYS does not open ${String(closed)} of ${String(tried)} stored secrets of webhooks`;
  const mend = 'Put the key that sealed them back, behind the first one; "parley keys rotate" never drops one';
  return [{ check: 'secrets', severity: 'fail', text, mend }];
}

async function* sealedRecords(url: string, keyPrefix: string): AsyncGenerator<string, void, void> {
  const client = connect(url, 'command');
  // What is wrong with the connection is the question of another check.
  client.on('error', () => undefined);
  let looked = 0;
  try {
    for await (const key of scanKeys(client, new PushKeys(keyPrefix).everyPush)) {
      const fields = Object.entries(await client.hgetall(key));
      yield* fields.filter(([name, text]) => name.startsWith('config:') && isSealed(text)).map(([, text]) => text);
      if ((looked += 1) === MOST_TASKS) return;
    }
  } finally {
    client.disconnect();
  }
}

function isSealed(text: string): boolean {
  return parseRecord(text).sealed !== undefined;
}

function opens(text: string, box: SecretBox): boolean {
  try {
    secretsOf(parseRecord(text), box);
    return true;
  } catch {
    return false;
  }
}
