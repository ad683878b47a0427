import type { Environment } from '../../../main/app.environment.js';
import { type StoredSecret, StoredSecrets } from '../../../webhooks/signing/stored-secrets.js';
import { runningProcesses } from '../../../platform/redis/running-processes.js';
import { connect, type RedisClient } from '../../../platform/redis/connection/redis-client.js';
import { readSchema, tooOldFor } from '../../../platform/redis/health/stored-schema.js';
import { parseKeyRing } from '../../../secrets/key-ring.js';
import { SecretBox } from '../../../secrets/secret-box.js';
import { type Finding, fine } from '../../../main/finding.js';

/** Stored secrets that are tried. */
const MAX_OPENED = 200;

const NEEDED = [
  { role: 'worker', without: 'tasks are accepted and never run' },
  { role: 'dispatcher', without: 'webhooks are not sent, and tasks are not recovered after crashes' },
] as const;

/** Checks the service's data in Redis: schema, running processes, and whether its secrets can be decrypted. */
export async function checkStored(url: string, environment: Environment): Promise<readonly Finding[]> {
  const client = connect(url, 'command');
  // Another check reports an unreachable Redis.
  client.on('error', () => undefined);
  try {
    return [
      ...(await schemaFindings(client, environment)),
      ...(await roleFindings(client, environment)),
      ...(await secretFindings(client, environment)),
    ];
  } catch {
    return [];
  } finally {
    client.disconnect();
  }
}

async function schemaFindings(client: RedisClient, { KEY_PREFIX }: Environment): Promise<readonly Finding[]> {
  const tooOld = tooOldFor(await readSchema(client, KEY_PREFIX));
  if (tooOld === undefined) return [];
  const [text = tooOld, fix = ''] = tooOld.replace(/\)$/, '').split(' (');
  return [{ check: 'stored data', severity: 'fail', text, fix: fix.charAt(0).toUpperCase() + fix.slice(1) }];
}

async function roleFindings(client: RedisClient, { KEY_PREFIX }: Environment): Promise<readonly Finding[]> {
  const roles = (await runningProcesses(client, KEY_PREFIX)).map(({ role }) => role);
  if (roles.length === 0) {
    const fix = `Start the service; if it runs, use its REDIS_URL and KEY_PREFIX for this command`;
    return [{ check: 'processes', severity: 'warn', text: 'No process of the service runs', fix }];
  }
  const missing = NEEDED.filter(({ role }) => !roles.includes(role) && !roles.includes('all'));
  if (missing.length === 0) return [fine('processes', `Running: ${counted(roles)}`)];
  return missing.map(({ role, without }) => ({
    ...{ check: 'processes', severity: 'fail', text: `No ${role} runs: ${without}` },
    fix: `Start processes with ROLE=${role}; if they exit, check their logs`,
  }));
}

function counted(roles: readonly string[]): string {
  const names = [...new Set(roles)].sort();
  return names.map((name) => `${String(roles.filter((role) => role === name).length)} ${name}`).join(', ');
}

async function secretFindings(client: RedisClient, environment: Environment): Promise<readonly Finding[]> {
  const { SECRET_KEYS, KEY_PREFIX } = environment;
  if (SECRET_KEYS === undefined) return [];
  const box = new SecretBox(parseKeyRing(SECRET_KEYS));
  let [tried, closed] = [0, 0];
  for await (const secret of new StoredSecrets(client, KEY_PREFIX).all()) {
    tried += 1;
    if (!opens(secret, box)) closed += 1;
    if (tried >= MAX_OPENED) break;
  }
  if (closed === 0) return [];
  const text = `SECRET_KEYS cannot decrypt ${String(closed)} of ${String(tried)} stored secrets of webhooks`;
  const fix =
    'Add the missing key again, behind the first one; remove a key only after "parley ops keys reencrypt" lists it as unused';
  return [{ check: 'stored data', severity: 'fail', text, fix }];
}

function opens({ sealed, owner }: StoredSecret, box: SecretBox): boolean {
  try {
    box.open(sealed, owner);
    return true;
  } catch {
    return false;
  }
}
