// The load generator, in a process of its own: one order at a time by message, one result back.
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** In a body, what becomes an id of its own in each request. */
const ID = '[<id>]';

process.on('message', (order) => void answer(order));
process.on('disconnect', () => process.exit(0));

async function answer(order) {
  try {
    process.send({ result: await run(order) });
  } catch (error) {
    process.send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

async function run(order) {
  const { origin, pathname: path } = new URL(order.url);
  const pool = new Pool(origin, { connections: order.connections, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const sender = new Sender(pool, { ...order, path });
  const began = performance.now();
  await (order.perSecond === undefined ? closedLoop(sender, order) : steady(sender, order));
  const seconds = (performance.now() - began) / 1000;
  await pool.close();
  return { count: sender.latencies.length, seconds, failures: sender.failures, ...spread(sender.latencies) };
}

/** Sends requests of one kind and keeps how long they took, in ms. */
class Sender {
  latencies = [];
  failures = 0;

  constructor(pool, { method, path, headers, body, expected }) {
    this.pool = pool;
    this.options = { method, path, headers };
    this.expected = expected;
    // Split once: filling in an id is then all that a request costs.
    this.pieces = body?.split(ID);
  }

  /** @param since when the request was due */
  async send(since) {
    const body = this.pieces?.join(randomUUID());
    const response = await this.pool.request({ ...this.options, body });
    const text = await response.body.text();
    this.latencies.push(performance.now() - since);
    if (response.statusCode !== 200 || !text.includes(this.expected)) this.failures += 1;
  }
}

/** Each connection sends its next request when it has its answer. */
async function closedLoop(sender, { connections, seconds, amount = Infinity }) {
  const end = amount === Infinity ? performance.now() + seconds * 1000 : Infinity;
  let left = amount;
  const connection = async () => {
    while (left-- > 0 && performance.now() < end) await sender.send(performance.now());
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

/** Sends at a steady rate, whatever the answers do; a latency counts from when its request was due. */
async function steady(sender, { perSecond, seconds }) {
  const began = performance.now();
  const sent = [];
  for (let at = 0; at < perSecond * seconds; at += 1) {
    const due = began + (at * 1000) / perSecond;
    while (performance.now() < due) await pause(1);
    sent.push(sender.send(due));
  }
  await Promise.all(sent);
}

function spread(values) {
  const sorted = values.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
