import { Redis } from 'ioredis';
import { withDeadline } from '../connection/deadline.js';
import { pingAll } from '../connection/redis-nodes.js';
import type { NamedConnection } from '../redis-connections.js';

/** Timeout of an answer, ms: a blocking connection has none of its own. */
const ANSWER_MS = 3_000;
/** An open connection without an answer for this long is reopened, ms. */
const HUNG_MS = 30_000;

/** Checks one connection of this process, and reopens it when it is open without answering. */
export class ConnectionWatch {
  readonly name: string;
  private answeredAt = performance.now();
  private isGone = false;
  private cutAt = -Infinity;

  constructor(
    private readonly connection: NamedConnection,
    private readonly answerMs = ANSWER_MS,
  ) {
    this.name = connection.name;
  }

  /** How long the connection has been unusable, ms; 0 while it is usable. */
  get goneMs(): number {
    return this.isGone ? performance.now() - this.answeredAt : 0;
  }

  /** One check; never rejects. */
  async check(): Promise<void> {
    this.isGone = !(await this.answers());
    if (!this.isGone) this.answeredAt = performance.now();
    else if (this.goneMs > HUNG_MS && performance.now() - this.cutAt > HUNG_MS) await this.openAnew();
  }

  /** BullMQ itself ends a read that exceeds its limit: the status of such a connection suffices. */
  private async answers(): Promise<boolean> {
    const { client, isBlocked } = this.connection;
    if (client.status !== 'ready') return false;
    if (isBlocked) return true;
    return withDeadline(pingAll(client), this.answerMs).then(
      () => true,
      () => false,
    );
  }

  /** ioredis reconnects closed connections by itself; a peer that vanished, or hangs, closes nothing. */
  private async openAnew(): Promise<void> {
    const { client } = this.connection;
    this.cutAt = performance.now();
    const servers = client instanceof Redis ? [client] : client.nodes('master');
    await Promise.all(
      servers.map(async (server) => {
        if (server.status !== 'ready' && server.status !== 'connect') return;
        await withDeadline(server.ping(), this.answerMs).catch(() => {
          server.disconnect(true);
        });
      }),
    );
  }
}
