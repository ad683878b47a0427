import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { CalmLog } from '../../platform/logging/calm-log.js';
import { CardChanges } from '../card-changes.js';
import { CardReader } from '../card-reader.js';
import type { EntryHealth, RegistryEntry } from '../entry/registry-entry.js';
import { RegistryOptions } from '../registry.options.js';
import { RegistryMetrics } from '../registry.metrics.js';
import { RegistryStore } from '../store/registry.store.js';
import { afterFailure, afterSuccess, pauseAfter } from './probe-plan.js';

/** Interval at which a process tries to become the prober and reads the due agents. */
const TICK_MS = 2000;
/** Longer than a probe may take: only one process probes cards. */
const LEASE_MS = 15_000;
/** Concurrent probes. */
const MAX_AT_ONCE = 8;
/** Agents of one tenant per round, so that no tenant blocks the others. */
const MAX_OF_TENANT = 50;

interface Due {
  readonly tenant: string;
  readonly identifier: string;
  readonly known: { readonly entry: RegistryEntry; readonly text: string };
}

/**
 * Probes the cards of registered agents periodically: whether they answer and still match their approval. Only one
 * process at a time does so.
 */
@Injectable()
export class Prober implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(Prober.name);
  private readonly failures = new CalmLog(this.log, 'registry.round-failed');
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;

  constructor(
    private readonly store: RegistryStore,
    private readonly reader: CardReader,
    private readonly changes: CardChanges,
    private readonly metrics: RegistryMetrics,
    @Inject(RegistryOptions) private readonly options: Pick<RegistryOptions, 'probeMs'>,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.round ??= this.tick().finally(() => (this.round = undefined));
    }, TICK_MS);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /** One round over all tenants if this process is the prober. Never rejects. */
  async tick(at?: number): Promise<void> {
    try {
      if (!(await this.leads())) return;
      const now = at ?? (await this.store.now());
      for (const tenant of await this.store.tenants()) await this.probeAll(await this.dueOf(tenant, now));
    } catch (error) {
      this.failures.warn({ error });
    }
  }

  private leads(): Promise<boolean> {
    return this.store.lead(this.id, LEASE_MS);
  }

  private async dueOf(tenant: string, now: number): Promise<readonly Due[]> {
    const due: Due[] = [];
    for (const identifier of await this.store.due(tenant, now, MAX_OF_TENANT)) {
      const known = await this.store.read(tenant, identifier);
      if (known !== undefined) due.push({ tenant, identifier, known });
    }
    return due;
  }

  /** Probes several agents concurrently, but only one per host. */
  private async probeAll(due: readonly Due[]): Promise<void> {
    const lines = byHost(due);
    const workers = Array.from({ length: MAX_AT_ONCE }, async () => {
      for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
        for (const one of line) if (await this.leads()) await this.probe(one);
      }
    });
    await Promise.all(workers);
  }

  /** One probe. An unreadable card is a failure of its agent only. */
  private async probe({ tenant, identifier, known }: Due): Promise<void> {
    const before = await this.store.healthOf(tenant, identifier);
    const health = await this.healthAfterLook(tenant, known, before);
    const isNews = health.state !== before.state;
    if (isNews) this.log.log({ event: 'registry.health', tenant, agent: identifier, state: health.state });
    const nextMs = pauseAfter(health, this.options.probeMs);
    await this.store.noteHealth(tenant, identifier, health, { nextMs, isNews });
  }

  private async healthAfterLook(tenant: string, known: Due['known'], before: EntryHealth): Promise<EntryHealth> {
    const { entry } = known;
    const { etag, lastModified } = before;
    try {
      const seen = await this.reader.read(entry.url, { url: entry.url, etag, lastModified });
      if (seen !== undefined) {
        const change = await this.changes.of(tenant, entry, seen, { client: 'prober' });
        const written = change && (await this.store.change(tenant, entry.identifier, known, change));
        this.metrics.probed(change === undefined ? 'unchanged' : change.note.action);
        // An unwritten change must be found again by the next probe: that one needs the card, not a 304.
        return afterSuccess(await this.store.now(), written === undefined || written === 'done' ? seen : {});
      }
      this.metrics.probed('unchanged');
      return afterSuccess(await this.store.now(), before);
    } catch (error) {
      this.metrics.probed('failed');
      return afterFailure(before, await this.store.now(), error instanceof Error ? error.message : String(error));
    }
  }
}

/** Groups agents by host, for sequential probes. */
function byHost(due: readonly Due[]): Due[][] {
  const lines = new Map<string, Due[]>();
  for (const one of due) {
    const { host } = new URL(one.known.entry.url);
    lines.set(host, [...(lines.get(host) ?? []), one]);
  }
  return [...lines.values()];
}
