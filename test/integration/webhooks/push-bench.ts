import { randomUUID } from 'node:crypto';
import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { parseAllowList } from '../../../src/outbound/allow-list.js';
import { GuardedClient } from '../../../src/outbound/guarded-client.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import { PushClock } from '../../../src/webhooks/push.clock.js';
import { DeadLetterStore } from '../../../src/webhooks/dead-letter/dead-letter.store.js';
import type { AttemptLog } from '../../../src/webhooks/delivery/attempt/attempt.sender.js';
import { PushConfigs } from '../../../src/webhooks/config/push-configs.js';
import { WebhookBinsModule } from '../../../src/admin/webhook-bins/webhook-bins.module.js';
import { PushDispatchModule, PushModule, PushModuleOptions } from '../../../src/webhooks/push.module.js';
import { PUSH_DEFAULTS, type PushOptions } from '../../../src/webhooks/push.options.js';
import type { SecretCipher } from '../../../src/webhooks/config/push-record.js';
import { PushRelay } from '../../../src/webhooks/delivery/push.relay.js';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { CommandRedis } from '../../../src/platform/redis/connection/connections.js';
import { OptionsModule } from '../../../src/platform/config/settings/options.module.js';
import { RedisOptions } from '../../../src/platform/redis/redis.options.js';
import { type ClaimedRun, RunStore, type TaskWrite } from '../../../src/tasks/commit/run.store.js';
import { TASK_DEFAULTS, TaskOptions } from '../../../src/tasks/task.options.js';
import { stateWord } from '../../../src/tasks/record/state-word.js';
import { SHARDS, TaskKeys } from '../../../src/tasks/task.keys.js';
import { TaskModule } from '../../../src/tasks/task.module.js';
import { TaskStore } from '../../../src/tasks/store/task.store.js';
import type { ProtocolVersion } from '@parley/protocol/codec/codec.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import type { Receiver } from './receiver.js';

export const OWNER = 'client:crm';
const TENANT = 'acme';

const SILENT: LoggerService = { log: ignore, warn: ignore, error: ignore, debug: ignore };

export const WORKING: TaskWrite = { kind: 'status', state: 'TASK_STATE_WORKING' };
export const COMPLETED: TaskWrite = { kind: 'status', state: 'TASK_STATE_COMPLETED' };
export const INPUT_REQUIRED: TaskWrite = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED' };

/** Seals nothing, but opens only for the owner it was given: enough to notice a mix-up. */
const SEALER: SecretCipher = {
  seal: (text, owner) => JSON.stringify([text, owner]),
  open: (sealed, owner) => {
    const [text, sealedFor] = JSON.parse(sealed) as [string, unknown];
    if (JSON.stringify(sealedFor) !== JSON.stringify(owner)) throw new Error('sealed for another owner');
    return text;
  },
};

export interface BenchOptions {
  readonly push?: Partial<PushOptions>;
  readonly receivers: readonly Receiver[];
  /** Benches of one prefix share tasks; default: one of its own. */
  readonly keyPrefix?: string;
  readonly isDispatching?: boolean;
  readonly deadlines?: { dns: number; connect: number; headers: number; total: number };
}

/** The push module with the task store on a real Redis, and hands to make tasks with. */
export class PushBench {
  private readonly seqs = new WeakMap<ClaimedRun, number>();

  private constructor(
    private readonly app: INestApplicationContext,
    readonly keyPrefix: string,
    /** Every attempt that was made. */
    readonly lines: readonly AttemptLog[],
  ) {}

  static async start(options: BenchOptions): Promise<PushBench> {
    const allow = parseAllowList(options.receivers.map(({ host }) => `${host}=127.0.0.1/32!http`).join(';'));
    const client = new GuardedClient({
      ...{ ports: [443], allowHttp: false, allow },
      resolve: resolver(),
      ...(options.deadlines === undefined ? {} : { deadlines: options.deadlines }),
    });
    const lines: AttemptLog[] = [];
    const { keyPrefix = `test-${randomUUID()}` } = options;
    const push: PushModuleOptions = {
      options: {
        ...PUSH_DEFAULTS,
        keyPrefix,
        drainMs: 200,
        issuer: 'https://agent.example.com',
        masterKeys: [{ id: 'm1', secret: 'master' }],
        ...options.push,
      },
      ...{ client, cipher: SEALER, observer: (line: AttemptLog) => lines.push(line) },
    };
    const dispatch = options.isDispatching === false ? [] : [PushDispatchModule];
    const module = Test.createTestingModule({
      imports: [
        OptionsModule.forRoot([
          { provide: RedisOptions, useValue: { address: testRedisUrl(), keyPrefix } },
          { provide: TaskOptions, useValue: { ...TASK_DEFAULTS, keyPrefix } },
          { provide: PushModuleOptions, useValue: push },
        ]),
        ...[TaskModule, PushModule, WebhookBinsModule],
        ...dispatch,
      ],
    });
    const app = await (await module.setLogger(SILENT).compile()).init();
    return new PushBench(app, keyPrefix, lines);
  }

  get configs(): PushConfigs {
    return this.app.get(PushConfigs);
  }

  get redis(): CommandRedis {
    return this.app.get<CommandRedis>(CommandRedis);
  }

  get deadLetters(): DeadLetterStore {
    return this.app.get(DeadLetterStore);
  }

  get<T>(type: new (...dependencies: never[]) => T): T {
    return this.app.get(type);
  }

  /** Moves the time of deliveries ahead, as if it had been waited for. */
  ahead(ms: number): void {
    this.app.get(PushClock).aheadMs += ms;
    void this.app.get(PushRelay).poll();
  }

  /** Moves the time ahead to the next attempt, once nothing is under way; tells by how much. */
  async aheadToNext(): Promise<number> {
    const redis = this.redis;
    const keys = new PushKeys(this.keyPrefix);
    const members = (await this.waiting()).map((member) => member.split(' ') as [string, string]);
    const cursors = members.map(([id, hook]) => redis.hmget(keys.push(id), `after:${hook}`, `lease:${hook}`));
    const waits = (await Promise.all(cursors)).map(([after, lease]) =>
      typeof after === 'string' && lease === null ? Number(after) - this.app.get(PushClock).now() : 0,
    );
    const ms = Math.max(0, Math.min(...waits));
    if (Number.isFinite(ms)) this.ahead(ms);
    return ms;
  }

  /** The webhooks that have something to deliver: `<task id> <config id>`. */
  async waiting(): Promise<readonly string[]> {
    const redis = this.redis;
    const keys = new PushKeys(this.keyPrefix);
    const outboxes = Array.from({ length: SHARDS }, (_unused, shard) => redis.zrange(keys.outbox(shard), '0', '-1'));
    return (await Promise.all(outboxes)).flat();
  }

  /** Drops all but the last events of a task from its log, as the log does by itself after 20,000 or so. */
  async trim(taskId: string, kept: number): Promise<void> {
    const key = new TaskKeys(this.keyPrefix).task(taskId);
    const redis = this.redis;
    const { seq } = stateWord((await redis.hget(key, 's')) ?? '');
    const names = Array.from({ length: seq - kept }, (_unused, at) => `e${at + 1}`);
    await redis.hdel(key, ...names);
  }

  /** What is stored of the webhooks of a task: `<name>:<config id>`. */
  cursorFields(taskId: string): Promise<readonly string[]> {
    return this.redis.hkeys(new PushKeys(this.keyPrefix).push(taskId));
  }

  /** A new task, and the right to write to it. */
  async task(
    config?: Partial<TaskPushNotificationConfig> & { url: string },
    dialect: ProtocolVersion = '1.0',
    id = this.app.get(TaskStore).newIdentity(OWNER, 'crm', randomUUID()).id,
  ): Promise<ClaimedRun> {
    const store = this.app.get(TaskStore);
    const messageId = randomUUID();
    const record =
      config &&
      (await this.configs.prepare(config, { owner: OWNER, taskId: id, tenant: TENANT, client: 'crm', dialect }));
    const created = await store.create({
      ...{ id, owner: OWNER, tenant: TENANT, client: 'crm', routing: { skillId: 'echo' }, requestHash: 'h', dialect },
      message: { messageId, role: 'ROLE_USER', parts: [{ text: 'hello' }] },
      ...(record === undefined ? {} : { push: { id: record.id, record: JSON.stringify(record) } }),
      trace: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'vendor=1' },
    });
    if (created.kind !== 'created') throw new Error(created.kind);
    const claimed = await this.app.get(RunStore).claim(created.taskId, created.fence, 'test');
    if (claimed.kind !== 'claimed') throw new Error(claimed.kind);
    await this.commit(claimed.run, WORKING);
    return claimed.run;
  }

  register(
    taskId: string,
    config: Partial<TaskPushNotificationConfig> & { url: string },
  ): Promise<TaskPushNotificationConfig> {
    return this.configs.create(OWNER, config, { taskId, tenant: TENANT, client: 'crm', dialect: '1.0' });
  }

  async commit(run: ClaimedRun, ...writes: readonly TaskWrite[]): Promise<void> {
    for (const write of writes) {
      const outcome = await this.app.get(RunStore).commit(run, this.seqs.get(run) ?? run.seq, [write]);
      if (outcome.kind !== 'committed') throw new Error(outcome.kind);
      this.seqs.set(run, outcome.seq);
    }
  }

  /** Remembers all that is stored; what is returned puts it back, as a failover to a replica that was behind does. */
  async remember(): Promise<() => Promise<void>> {
    const redis = this.redis;
    const keys = await redis.keys(`${this.keyPrefix}*`);
    const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    return async () => {
      await redis.del(await redis.keys(`${this.keyPrefix}*`));
      await Promise.all(keys.map((key, at) => redis.restore(key, 0, dumps[at] ?? '')));
    };
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

/** Receivers are on localhost; `rebound.example.com` is public when it is registered and loopback ever after. */
function resolver(): (name: string) => Promise<readonly string[]> {
  let asked = 0;
  return (name) => {
    if (name === 'localhost') return Promise.resolve(['127.0.0.1']);
    asked += 1;
    return Promise.resolve([asked === 1 ? '93.184.215.14' : '127.0.0.1']);
  };
}

/** The next piece of the task's one artifact; `first` begins it. */
export function chunkOf(text: string, how: 'first' | 'next' = 'next'): TaskWrite {
  return {
    kind: 'artifact',
    artifactId: 'a',
    described: {},
    parts: [{ text }],
    append: how === 'next',
    lastChunk: false,
  };
}

function ignore(): void {
  // What is logged is not what is tested.
}
