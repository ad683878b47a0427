// The load generator, in a process of its own: one order at a time by message, one result back.
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection } from './http-connection.mjs';

/** Marker in a body, replaced by an id of its own in each request. */
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
  const load = await Load.open(order);
  try {
    const began = performance.now();
    await (order.perSecond === undefined ? closedLoop(load, order) : steady(load, order));
    const seconds = (performance.now() - began) / 1000;
    return { count: load.latencies.length, seconds, failures: load.failures, ...spread(load.latencies) };
  } finally {
    load.close();
  }
}

/** Sends requests of one kind and keeps how long they took, in ms. */
class Load {
  latencies = [];
  failures = 0;
  #connections;
  #idle;
  /** Requests without a connection, in their order. */
  #waiting = [];

  constructor(connections, { body = '', expected }) {
    this.#connections = connections;
    this.#idle = [...connections];
    // Split once: filling in an id is then all that a request costs.
    this.pieces = body.split(ID);
    this.expected = expected;
  }

  static async open(order) {
    const opened = Array.from({ length: order.connections }, () => HttpConnection.open(order));
    return new Load(await Promise.all(opened), order);
  }

  /** @param since when the request was due */
  async send(since) {
    const connection = this.#idle.pop() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
    const { status, body } = await connection.send(this.pieces.join(randomUUID()));
    this.latencies.push(performance.now() - since);
    if (status !== 200 || !body.includes(this.expected)) this.failures += 1;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(connection);
    else next(connection);
  }

  close() {
    for (const connection of this.#connections) connection.close();
  }
}

/** Each connection sends its next request when it has its answer. */
async function closedLoop(load, { connections, seconds, amount = Infinity }) {
  const end = amount === Infinity ? performance.now() + seconds * 1000 : Infinity;
  let left = amount;
  const connection = async () => {
    while (left-- > 0 && performance.now() < end) await load.send(performance.now());
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

/** Sends at a steady rate, whatever the answers do; a latency counts from when its request was due. */
async function steady(load, { perSecond, seconds }) {
  const began = performance.now();
  const sent = [];
  for (let at = 0; at < perSecond * seconds; at += 1) {
    const due = began + (at * 1000) / perSecond;
    while (performance.now() < due) await pause(1);
    sent.push(load.send(due));
  }
  await Promise.all(sent);
}

function spread(values) {
  const sorted = values.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
