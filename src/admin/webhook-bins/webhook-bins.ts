import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import type { PushAttempt } from '../../webhooks/delivery/attempt/request.js';
import { type LocalReceiver, LocalReceivers } from '../../webhooks/local-receivers.js';
import { PushOptions } from '../../webhooks/push.options.js';
import { type BinDelivery, binDelivery } from './bin-delivery.js';
import { BinKeys } from './bin.keys.js';
import { BIN_SCRIPTS } from './bin.scripts.js';

/** The owner of tasks, and of the bin for their webhooks. */
export interface BinOwner {
  readonly tenant: string;
  /** The owner's name in task records. */
  readonly owner: string;
}

/** The contents of a bin. */
export interface BinContent {
  readonly url: string;
  /** ISO 8601; the bin is deleted then unless it is opened again. */
  readonly expiresAt: string;
  /** Oldest first, by ascending `no`. */
  readonly deliveries: readonly (BinDelivery & { readonly no: number })[];
}

/** Bins per tenant at once. */
export const MAX_BINS = 32;
const TTL_MS = 3_600_000;
const MAX_DELIVERIES = 50;
/** Sum over all stored deliveries of a bin. */
const MAX_BYTES = 512 * 1024;
const MAX_CHARACTERS = 32 * 1024;

/** Unresolvable by RFC 6761 and refused by the egress guard: nothing is ever sent to it. */
const HOST = 'bin.parley.invalid';
const ID_IN_URL = /^https:\/\/bin\.parley\.invalid\/([0-9a-f]{32})$/;

/**
 * Webhook receivers inside the service: the owner of tasks inspects deliveries there without a server of its own. One
 * bin per owner, kept for an hour after it was last opened, with the newest 50 deliveries and at most 512 KiB.
 */
@Injectable()
export class WebhookBins implements LocalReceiver {
  private readonly keys: BinKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(PushOptions) { keyPrefix }: PushOptions,
    receivers: LocalReceivers,
  ) {
    this.keys = new BinKeys(keyPrefix);
    receivers.add(this);
  }

  /** Whether a URL names the host of bins. */
  owns(url: string): boolean {
    return URL.canParse(url) && new URL(url).hostname === HOST;
  }

  /** Opens the bin of an owner, or keeps it for another hour. Undefined when the tenant has its maximum of bins. */
  async open(of: BinOwner): Promise<Omit<BinContent, 'deliveries'> | undefined> {
    const id = idOf(of);
    const args = { id, ttl: TTL_MS, maxBins: MAX_BINS };
    const ends = await BIN_SCRIPTS.open.run(this.redis, this.keys.bin(of.tenant, id), args);
    return ends === 0 ? undefined : { url: urlOf(id), expiresAt: isoOf(ends) };
  }

  /** Whether the URL is that of the owner's bin, and the bin is open. */
  async isOpen(of: BinOwner, url: string): Promise<boolean> {
    const id = idOf(of);
    return url === urlOf(id) && (await this.redis.exists(this.keys.bin(of.tenant, id).bin)) === 1;
  }

  /** The deliveries after number `after`; undefined when no bin is open. */
  async read(of: BinOwner, after = 0): Promise<BinContent | undefined> {
    const id = idOf(of);
    const { bin } = this.keys.bin(of.tenant, id);
    const [first, last, ends] = await this.redis.hmget(bin, 'first', 'last', 'ends');
    if (typeof first !== 'string' || typeof last !== 'string' || typeof ends !== 'string') return undefined;
    const from = Math.max(Number(first), after + 1);
    const numbers = Array.from({ length: Math.max(0, Number(last) - from + 1) }, (_unused, at) => from + at);
    const texts = numbers.length === 0 ? [] : await this.redis.hmget(bin, ...numbers.map(String));
    const deliveries = numbers.flatMap((no, at) => {
      const text = texts[at];
      return typeof text === 'string' ? [{ no, ...(JSON.parse(text) as BinDelivery) }] : [];
    });
    return { url: urlOf(id), expiresAt: isoOf(ends), deliveries };
  }

  deliver(push: PushAttempt, url: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
    return this.take(push.record.tenant, url, binDelivery(push, headers));
  }

  /** Adds a delivery to the bin at a URL. False when that bin does not exist. */
  async take(tenant: string, url: string, delivery: Omit<BinDelivery, 'bytes'>): Promise<boolean> {
    const id = ID_IN_URL.exec(url)?.[1];
    if (id === undefined) return false;
    const { body } = delivery;
    const text = JSON.stringify({
      ...delivery,
      body: body.slice(0, MAX_CHARACTERS),
      bytes: Buffer.byteLength(body),
    } satisfies BinDelivery);
    const { bin } = this.keys.bin(tenant, id);
    const args = { delivery: text, maxDeliveries: MAX_DELIVERIES, maxBytes: MAX_BYTES };
    return (await BIN_SCRIPTS.fill.run(this.redis, { bin }, args)) === 1;
  }
}

/** The id is derived from the owner: one bin each. */
function idOf({ owner }: BinOwner): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 32);
}

function urlOf(id: string): string {
  return `https://${HOST}/${id}`;
}

function isoOf(ms: unknown): string {
  return new Date(Number(ms)).toISOString();
}
