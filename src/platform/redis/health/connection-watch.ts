import { Redis } from 'ioredis';
import { withDeadline } from '../connection/deadline.js';
import { pingAll } from '../connection/redis-nodes.js';
import type { NamedConnection } from '../redis-connections.js';

/** Longest time for an answer, ms: a connection that waits for Redis has no limit of its own. */
const ANSWER_MS = 3_000;
/** A connection that is open and answers nothing for so long is opened anew, ms. */
const HUNG_MS = 30_000;

/** Checks one connection of this process, and opens it anew where it is open and does not answer. */
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

  /** How long the connection cannot be used, ms; 0 while it can. */
  get goneMs(): number {
    return this.isGone ? performance.now() - this.answeredAt : 0;
  }

  /** One check; never rejects. */
  async check(): Promise<void> {
    this.isGone = !(await this.answers());
    if (!this.isGone) this.answeredAt = performance.now();
    else if (this.goneMs > HUNG_MS && performance.now() - this.cutAt > HUNG_MS) await this.openAnew();
  }

  /** BullMQ itself ends a read that takes longer than it may: of such a connection the status is enough. */
  private async answers(): Promise<boolean> {
    const { client, isBlocked } = this.connection;
    if (client.status !== 'ready') return false;
    if (isBlocked) return true;
    return withDeadline(pingAll(client), this.answerMs).then(
      () => true,
      () => false,
    );
  }

  /** ioredis connects again by itself to what was closed; a peer that vanished, or hangs, closes nothing. */
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
