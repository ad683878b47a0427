import { randomUUID } from 'node:crypto';
import { retentionSettings } from '../../app.settings.js';
import type { LoadedSkills } from '../../app.skills.js';
import type { Environment } from '../../platform/config/environment.js';
import { queuePrefix } from '../../platform/queue/wake-up-queue.js';
import { startEmbeddedRedis } from '../../platform/redis/embedded/embedded-redis.js';
import { runningServerUrl } from '../../platform/redis/embedded/running-server.js';
import { runningProcesses } from '../../platform/redis/running-processes.js';
import { connect, type RedisClient } from '../../platform/redis/redis-client.js';
import { migrationKey } from '../../platform/redis/service.keys.js';
import {
  beginMigration,
  endMigration,
  giveUpMigration,
  isBeingMigrated,
  isMigratable,
  readSchema,
  SCHEMA,
  type StoredSchema,
  tooOldFor,
} from '../../platform/redis/stored-schema.js';
import { TASK_STATES } from '../../protocol/task-state.js';
import { skillOptionsOf } from '../../skill/skill.js';
import { type MigrationCount, StoreMigration } from '../../task/migration/store-migration.js';
import { TASK_DEFAULTS } from '../../task/task.options.js';
import { surroundingsOf } from '../client/command-context.js';
import { checkConfiguration } from './doctor/configuration-check.js';
import { sentenceOf } from './doctor/finding.js';
import { OperatorError } from './operator-error.js';
import { counted, type Output, table } from './output.js';
import { stateName } from './tasks.js';

/** How long the right to migrate outlives a process that was killed. */
const HOLD_MS = 30_000;
/** How often the right is renewed, progress is shown, and other processes are checked for. */
const EVERY_MS = 2_000;

export interface MigrateOptions {
  /** Reads and converts everything, and writes nothing. */
  readonly dryRun?: boolean;
}

/** Migrates stored data of an older schema to the schema of this code. @throws OperatorError where that must not be */
export async function migrate({ dryRun: isDryRun = false }: MigrateOptions): Promise<Output> {
  const { environment, skills } = await checkedConfig();
  const settings = {
    options: { ...TASK_DEFAULTS, ...retentionSettings(environment), keyPrefix: environment.KEY_PREFIX },
    limited: limitedSkills(skills),
    jobPrefixes: [queuePrefix(environment.KEY_PREFIX), queuePrefix(environment.KEY_PREFIX, 'push')],
  };
  return withStore(environment, async (redis) => {
    const schema = await readSchema(redis, environment.KEY_PREFIX);
    if (!isMigratable(schema)) return nothingToDo(schema);
    const migration = new Migration(redis, environment.KEY_PREFIX, schema);
    await migration.assertAlone();
    if (isDryRun) return shown(await new StoreMigration(redis, { ...settings, isDryRun }).run(), 0, isDryRun);
    return migration.hold(async (onTask) => {
      const store = new StoreMigration(redis, { ...settings, isDryRun, onTask });
      const began = performance.now();
      migration.expected = await store.left();
      const count = await store.run();
      await migration.assertAlone();
      await endMigration(redis, environment.KEY_PREFIX);
      return shown(count, performance.now() - began, isDryRun);
    });
  });
}

/** The right to migrate, and what others must not do meanwhile. */
class Migration {
  /** Tasks that will be brought over. */
  expected = 0;
  private readonly token = randomUUID();
  private lookedAt = performance.now();
  private readonly beganAt = performance.now();

  constructor(
    private readonly redis: RedisClient,
    private readonly keyPrefix: string,
    private readonly schema: StoredSchema,
  ) {}

  /** @throws OperatorError while processes of the service run */
  async assertAlone(): Promise<void> {
    const processes = await runningProcesses(this.redis, this.keyPrefix);
    if (processes.length === 0) return;
    const names = processes.map(({ role, version, id }) => `${role} ${version} (${id})`).join(', ');
    throw new OperatorError(
      `These processes of the service still run on this data: ${names}. Stop them, then run this command again.`,
    );
  }

  /** Does the work while no other process may use the data. */
  async hold<T>(work: (onTask: (count: MigrationCount) => Promise<void>) => Promise<T>): Promise<T> {
    const key = migrationKey(this.keyPrefix);
    if ((await this.redis.set(key, this.token, 'PX', HOLD_MS, 'NX')) === null) {
      throw new OperatorError(
        `Another "parley ops migrate" is running on this data, or was killed less than ${String(HOLD_MS / 1000)} s ago.`,
      );
    }
    try {
      await this.closeData();
      return await work((count) => this.onTask(count));
    } finally {
      await this.redis.del(key);
    }
  }

  /** A process that has started a moment ago has read the old mark: it is checked for once more. */
  private async closeData(): Promise<void> {
    await beginMigration(this.redis, this.keyPrefix);
    try {
      await this.assertAlone();
    } catch (error) {
      if (!isBeingMigrated(this.schema)) await giveUpMigration(this.redis, this.keyPrefix, this.schema);
      throw error;
    }
  }

  private async onTask({ tasks }: MigrationCount): Promise<void> {
    const now = performance.now();
    if (now - this.lookedAt < EVERY_MS) return;
    this.lookedAt = now;
    const perSecond = Math.round((tasks * 1000) / (now - this.beganAt));
    const share = this.expected === 0 ? '' : ` of ${String(this.expected)}`;
    surroundingsOf().err(`${String(tasks)}${share} tasks, ${String(perSecond)} per second\n`);
    if ((await this.redis.get(migrationKey(this.keyPrefix))) !== this.token) {
      throw new OperatorError('Another "parley ops migrate" has taken over.');
    }
    await this.redis.pexpire(migrationKey(this.keyPrefix), HOLD_MS);
    await this.assertAlone();
  }
}

/** On the Redis of REDIS_URL or of DATA_DIR; the embedded server is started where it does not run. */
async function withStore<T>(environment: Environment, work: (redis: RedisClient) => Promise<T>): Promise<T> {
  const { DATA_DIR, REDIS_SERVER_BIN } = environment;
  const url = environment.REDIS_URL ?? (await runningServerUrl(DATA_DIR));
  if (url !== undefined) return connected(url, work);
  const embedded = await startEmbeddedRedis({
    dataDir: DATA_DIR,
    ...(REDIS_SERVER_BIN === undefined ? {} : { serverBinary: REDIS_SERVER_BIN }),
    onProgress: (line) => surroundingsOf().err(`${line}\n`),
  });
  try {
    return await connected(embedded.url, work);
  } finally {
    await embedded.stop();
  }
}

async function connected<T>(url: string, work: (redis: RedisClient) => Promise<T>): Promise<T> {
  // Waits for a Redis that comes back: every step can be repeated.
  const redis = connect(url, 'blocking');
  redis.on('error', (error: Error) => surroundingsOf().err(`Redis: ${error.message}\n`));
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** The variables of the service, judged as at its start. @throws OperatorError with a line for each fault */
async function checkedConfig(): Promise<{ readonly environment: Environment; readonly skills: LoadedSkills }> {
  const { environment, skills, findings } = await checkConfiguration();
  const faults = findings.filter(({ severity }) => severity === 'fail');
  if (environment !== undefined && skills !== undefined && faults.length === 0) return { environment, skills };
  throw new OperatorError(faults.map(sentenceOf).join('\n'));
}

/** Skills with `concurrency`: their runs wait in queues of their own. */
function limitedSkills({ packs }: LoadedSkills): ReadonlySet<string> {
  const options = packs.flatMap(({ skills }) => skills.map(({ skill }) => skillOptionsOf(skill)));
  return new Set(options.flatMap((one) => (one?.concurrency === undefined ? [] : one.id)));
}

function nothingToDo(schema: StoredSchema): Output {
  const tooOld = tooOldFor(schema);
  if (tooOld !== undefined) throw new OperatorError(`${tooOld}.`);
  const text = schema.number === 0 ? 'No data is stored.' : `The stored data already has schema ${String(SCHEMA)}.`;
  return { json: { tasks: 0, schema: schema.number }, text };
}

function shown({ tasks, waiting, states }: MigrationCount, ms: number, isDryRun: boolean): Output {
  const rows = TASK_STATES.flatMap((state) => {
    const count = states[state];
    return count === undefined ? [] : [[stateName(state), String(count)]];
  });
  const seconds = (ms / 1000).toFixed(1);
  const head = isDryRun
    ? `${counted(tasks, 'task')} can be migrated to schema ${String(SCHEMA)}; nothing was written.`
    : `${counted(tasks, 'task')} migrated to schema ${String(SCHEMA)} in ${seconds} s. The service can start.`;
  const runs = `${counted(waiting, 'run')} in the fair queues.`;
  return {
    json: { tasks, waiting, states, schema: isDryRun ? undefined : SCHEMA, seconds: Number(seconds) },
    text: [table(['state', 'tasks'], rows, 'No tasks.'), `${head} ${runs}`].join('\n\n'),
  };
}
