import { loadConfig } from '../../main/app.environment.js';
import { comingVariables } from '../../platform/config/variables/env-file.js';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../platform/redis/embedded/embedded-redis.js';
import { counted } from '../ops/output.js';
import type { DevReady } from './dev-message.js';
import { DevProcess } from './dev-process.js';
import { usualFolder, watchSources } from './watch-sources.js';

/**
 * Runs the project in the working folder, and again after each change, until Ctrl-C. Tasks survive each reload.
 * @param first the process of the first service, which is loading its modules
 */
export async function dev(first: DevProcess, given?: string): Promise<void> {
  const session = new DevSession(first, given ?? usualFolder());
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, resolve);
  });
  await session.open();
  const stopWatching = watchSources(comingVariables(), (name) => {
    void session.reload(`${name} has changed`);
  });
  await stopped;
  stopWatching();
  await session.close();
}

/** The serving process, a waiting one to replace it, and the embedded Redis of both. */
class DevSession {
  private redis: EmbeddedRedis | undefined;
  private current: DevProcess | undefined;
  private changes: Promise<void> = Promise.resolve();
  private waiting = 0;
  private isClosing = false;

  constructor(
    private spare: DevProcess,
    private readonly folder: string,
  ) {}

  async open(): Promise<void> {
    const { REDIS_URL, DATA_DIR, redis } = loadConfig(comingVariables());
    if (REDIS_URL === undefined) {
      this.redis = await startEmbeddedRedis({
        dataDir: DATA_DIR,
        ...(redis.serverProgram === undefined ? {} : { serverBinary: redis.serverProgram }),
        onProgress: print,
      });
    }
    await this.serve(true);
  }

  /** Changes during a reload are served together by the next one. */
  reload(reason: string): Promise<void> {
    if (this.waiting > 0) return this.changes;
    this.waiting += 1;
    this.changes = this.changes.then(async () => {
      this.waiting -= 1;
      const began = performance.now();
      const outcome = await this.serve(false);
      print(`${reason}; ${outcomeText(outcome, performance.now() - began)}`);
    });
    return this.changes;
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.changes;
    await Promise.all([this.current?.stop(), this.spare.stop()]);
    await this.redis?.stop();
  }

  /** Restarts a service that was killed: its tasks continue. */
  private async watch(service: DevProcess, since: number): Promise<void> {
    const end = await service.ended;
    if (this.isClosing || service !== this.current) return;
    const text = `the service has ended (${String(end)})`;
    if (performance.now() - since > SHORTEST_LIFE_MS) await this.reload(text);
    else print(`${text}. Waiting for the next change.`);
  }

  /** The previous service serves until the next one has loaded the skills: an unloadable file changes nothing. */
  private async serve(isFirst: boolean): Promise<Outcome> {
    const next = this.spare;
    try {
      const redis = this.redis === undefined ? {} : { redisUrl: this.redis.url };
      const isLoaded = await next.load({ kind: 'start', folder: this.folder, isFirst, ...redis });
      if (!isLoaded) return this.current?.isAlive === true ? 'as-before' : 'none';
      await this.current?.stop();
      this.current = next;
      const outcome = (await next.listen()) ?? 'none';
      if (outcome !== 'none') void this.watch(next, performance.now());
      return outcome;
    } finally {
      this.spare = new DevProcess();
    }
  }
}

/** A service that ends sooner than this after its start would end again. */
const SHORTEST_LIFE_MS = 2_000;

/** The new service; the previous one if the new one cannot be loaded; or none. */
type Outcome = DevReady | 'as-before' | 'none';

function outcomeText(outcome: Outcome, ms: number): string {
  if (outcome === 'none') return 'the service does not start. Waiting for the next change.';
  if (outcome === 'as-before') return 'it cannot be loaded: the service of before the change keeps serving.';
  const { skills } = outcome;
  return `ready in ${(ms / 1000).toFixed(1)} s with ${counted(skills.length, 'skill')}: ${skills.join(', ')}.`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
