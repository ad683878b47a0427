import { Redis } from 'ioredis';

/** What servers do for each other and for whoever asks for their figures. */
const OF_SERVERS = /^(?:ping|info|config|cluster|replconf|psync|client|command|hello|select|readonly|dbsize)(?:\||$)/;

/** The commands that each server of a cluster has run, those of scripts included. */
export class NodeShares {
  private readonly nodes: readonly Redis[];

  /** @param shards a key of each shard of the tasks */
  constructor(
    urls: readonly string[],
    private readonly shards: readonly string[],
  ) {
    this.nodes = urls.map((url) => new Redis(url));
  }

  /**
   * Runs the work, whose tasks all leave the same number of keys. Returns how much of the commands each server had, 1 being an
   * equal share. The ids of tasks, and with them their shards, are random: each server's commands count as if its shards
   * had got as many tasks as those of the others.
   */
  async during(work: () => Promise<void>): Promise<readonly number[]> {
    const owned = await Promise.all(this.nodes.map((node) => this.ownedBy(node)));
    const before = await Promise.all(this.nodes.map((node) => node.dbsize()));
    await Promise.all(this.nodes.map((node) => node.config('RESETSTAT')));
    await work();
    const counts = await Promise.all(
      this.nodes.map(async (node, at) => {
        const keys = (await node.dbsize()) - (before[at] ?? 0);
        return ((await commandsOf(node)) * (owned[at] ?? 0)) / keys;
      }),
    );
    const all = counts.reduce((sum, count) => sum + count, 0);
    return counts.map((count) => (count * counts.length) / all);
  }

  close(): void {
    for (const node of this.nodes) node.disconnect();
  }

  private async ownedBy(node: Redis): Promise<number> {
    const asked = await Promise.allSettled(this.shards.map((key) => node.exists(key)));
    return asked.filter(({ status }) => status === 'fulfilled').length;
  }
}

async function commandsOf(node: Redis): Promise<number> {
  const stats = [...(await node.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  const own = stats.filter(([, name = '']) => !OF_SERVERS.test(name));
  return own.reduce((sum, [, , calls]) => sum + Number(calls), 0);
}
