import { Redis } from 'ioredis';
import { RedisMonitor } from '../redis/redis-monitor.js';

/** Commands inside of scripts whose first argument is no key. */
const WITHOUT_KEYS = ['time', 'publish'];
const ALL_KEYS = ['del', 'exists', 'unlink'];

/** Watches a Redis server: which keys do scripts touch that they were not given? */
export class KeyWatch {
  private declared: ReadonlySet<string> = new Set();
  private scripts = 0;
  private readonly touched = new Set<string>();
  private readonly ends = new Map<string, () => void>();
  private monitor: RedisMonitor | undefined;

  private constructor(private readonly redis: Redis) {}

  /**
   * @param url of a server that nobody else uses at this moment
   * @param ours what the names of the keys begin with that are watched: those of BullMQ's scripts are not
   */
  static async start(url: string, ours: string): Promise<KeyWatch> {
    const watch = new KeyWatch(new Redis(url));
    watch.monitor = await RedisMonitor.start(url, (args, source) => {
      watch.hear(args, source, ours);
    });
    return watch;
  }

  /** `<command> <key>` of what was not declared, and how many scripts ran. */
  async stop(): Promise<{ readonly undeclared: readonly string[]; readonly scripts: number }> {
    const end = `${String(process.pid)}-${String(Math.random())}`;
    const seen = new Promise<void>((done) => this.ends.set(end, done));
    await this.redis.echo(end);
    await seen;
    this.monitor?.stop();
    this.redis.disconnect();
    return { undeclared: [...this.touched], scripts: this.scripts };
  }

  /** Commands of a script follow the line of its own command. */
  private hear([command = '', ...args]: readonly string[], source: string, ours: string): void {
    const name = command.toLowerCase();
    if (name === 'echo') this.ends.get(args[0] ?? '')?.();
    if (name === 'evalsha' || name === 'eval') {
      this.declared = new Set(args.slice(2, 2 + Number(args[1])));
      if ([...this.declared].some((key) => key.startsWith(ours))) this.scripts += 1;
    }
    if (source !== 'lua' || WITHOUT_KEYS.includes(name)) return;
    const keys = ALL_KEYS.includes(name) ? args : args.slice(0, 1);
    for (const key of keys) if (key.startsWith(ours) && !this.declared.has(key)) this.touched.add(`${name} ${key}`);
  }
}
