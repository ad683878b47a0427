import { Redis } from 'ioredis';

/** What servers do for each other and for whoever asks for their figures. */
const OF_SERVERS = /^(?:ping|info|config|cluster|replconf|psync|client|command|hello|select|readonly)(?:\||$)/;

/** The commands that each server has run, those of scripts included. */
export class NodeShares {
  private readonly nodes: readonly Redis[];

  constructor(urls: readonly string[]) {
    this.nodes = urls.map((url) => new Redis(url));
  }

  /** Runs the work. Returns how much of the commands each server had, 1 being an equal share. */
  async during(work: () => Promise<void>): Promise<readonly number[]> {
    await Promise.all(this.nodes.map((node) => node.config('RESETSTAT')));
    await work();
    const counts = await Promise.all(this.nodes.map(commandsOf));
    const all = counts.reduce((sum, count) => sum + count, 0);
    return counts.map((count) => (count * counts.length) / all);
  }

  close(): void {
    for (const node of this.nodes) node.disconnect();
  }
}

async function commandsOf(node: Redis): Promise<number> {
  const stats = [...(await node.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  const own = stats.filter(([, name = '']) => !OF_SERVERS.test(name));
  return own.reduce((sum, [, , calls]) => sum + Number(calls), 0);
}
