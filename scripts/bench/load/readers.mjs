// Readers of streams, in a process of their own: opens streams, pokes the tasks behind them, and reports how long what is
// written there takes to arrive. The skills write the time, by a clock that all processes of the machine share.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../system/work.mjs';

const OPENING_AT_ONCE = 64;
const POKE_EVERY_MS = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** @type {{ taskId: string, response: import('node:http').IncomingMessage }[]} */
let streams = [];
let lags = [];
/** A time as a chunk or a message of a stream has it. */
const PIECE = /"parts":\[\{"text":"(\d+\.\d+)"\}\]/g;

const ORDERS = {
  /** Opens streams of tasks that wait; resolves when all of them do. */
  async open({ url, headers, count }) {
    for (let left = count; left > 0; left -= OPENING_AT_ONCE) {
      const some = Array.from({ length: Math.min(left, OPENING_AT_ONCE) }, () => openParked(url, headers));
      streams.push(...(await Promise.all(some)));
    }
    return streams.length;
  },

  /** Sends a message to one task after the other, and waits for the answers of their streams. */
  async poke({ url, headers, count }) {
    lags = [];
    for (let at = 0; at < count; at += 1) {
      const { taskId } = streams[Math.floor(Math.random() * streams.length)];
      const params = { message: { ...message('parked', ''), taskId }, configuration: { returnImmediately: true } };
      (await post(url, headers, 'SendMessage', params, agent)).resume();
      await pause(POKE_EVERY_MS);
    }
    await pause(500);
    return lags;
  },

  /** Opens streams of A2A to tasks that wait, which other calls have begun. */
  async subscribe({ url, headers, count }) {
    for (let left = count; left > 0; left -= OPENING_AT_ONCE) {
      const some = Array.from({ length: Math.min(left, OPENING_AT_ONCE) }, () => subscribeToParked(url, headers));
      streams.push(...(await Promise.all(some)));
    }
    return streams.length;
  },

  /** Opens subscriptions to tasks that wait; resolves when all of them are acknowledged. */
  async listen({ url, headers, count }) {
    for (let left = count; left > 0; left -= OPENING_AT_ONCE) {
      const some = Array.from({ length: Math.min(left, OPENING_AT_ONCE) }, () => listenToParked(url, headers));
      streams.push(...(await Promise.all(some)));
    }
    return streams.length;
  },

  /**
   * Sends a message to one task after the other, each of another listener: notifications of one task are a second apart. Gives how long its
   * listener waited for a word, from before the message.
   */
  async pokeListeners({ url, headers, count }) {
    const waited = [];
    for (let at = 0; at < count; at += 1) {
      const { taskId, response } = streams[at % streams.length];
      const sent = monotonicMs();
      const first = new Promise((resolve) => response.once('data', () => resolve(monotonicMs() - sent)));
      const params = { message: { ...message('parked', ''), taskId }, configuration: { returnImmediately: true } };
      (await post(url, headers, 'SendMessage', params, agent)).resume();
      waited.push(await first);
      await pause(POKE_EVERY_MS);
    }
    return waited;
  },

  /** Reads the stream of a task that says the time again and again. */
  ticks: (where) => lagsOf('ticks', where),

  /** Reads the stream of a task whose model says the time. */
  tokens: (where) => lagsOf('tokens', where),

  /** The same of a task whose budget ends before the answer: the received pieces, and the last text of the task. */
  async spent({ url, headers, count }) {
    let text = '';
    const response = await post(url, headers, 'SendStreamingMessage', { message: message('tokens', String(count)) });
    response.setEncoding('utf8');
    response.on('data', (some) => (text += some));
    await new Promise((resolve) => response.on('end', resolve));
    const pieces = [...text.matchAll(PIECE)].map(([, piece]) => piece.length);
    return { pieces, said: /"text":"(The task[^"]*)"/.exec(text)?.[1] ?? '' };
  },

  close() {
    for (const { response } of streams) response.destroy();
    streams = [];
    return 'closed';
  },
};

process.on('message', async ({ order, ...what }) => {
  try {
    process.send({ result: await ORDERS[order](what) });
  } catch (error) {
    process.send({ error: error instanceof Error ? error.stack : String(error) });
  }
});
process.on('disconnect', () => process.exit(0));

async function lagsOf(skillId, { url, headers, count }) {
  lags = [];
  const response = await stream(url, headers, message(skillId, String(count)));
  await new Promise((resolve) => response.on('end', resolve));
  return lags;
}

function message(skillId, text) {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { skillId } };
}

async function openParked(url, headers) {
  const response = await stream(url, headers, message('parked', ''));
  const taskId = await new Promise((resolve, reject) => {
    let text = '';
    const onBytes = (bytes) => {
      text += bytes;
      if (!text.includes('TASK_STATE_AUTH_REQUIRED')) return;
      response.off('data', onBytes);
      resolve(/"taskId":"([^"]+)"/.exec(text)?.[1]);
    };
    response.on('data', onBytes);
    response.on('end', () => reject(new Error(`A stream ended early: ${text}`)));
  });
  return { taskId, response };
}

async function beginParked(url, headers) {
  const begun = await post(url, headers, 'SendMessage', { message: message('parked', '') }, agent);
  let text = '';
  for await (const bytes of begun.setEncoding('utf8')) text += bytes;
  return JSON.parse(text).result.task.id;
}

async function subscribeToParked(url, headers) {
  const taskId = await beginParked(url, headers);
  const response = await post(url, headers, 'SubscribeToTask', { id: taskId });
  await new Promise((resolve, reject) => {
    response.once('data', resolve);
    response.once('end', () => reject(new Error('A stream ended early')));
  });
  return { taskId, response };
}

async function listenToParked(url, headers) {
  const taskId = await beginParked(url, headers);
  const method = 'subscriptions/listen';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const own = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  const accept = 'application/json, text/event-stream';
  const params = { notifications: { taskIds: [taskId] }, _meta };
  const response = await post(`${url}/mcp`, { ...headers, ...own, accept }, method, params);
  response.setEncoding('utf8');
  await new Promise((resolve, reject) => {
    response.once('data', resolve);
    response.once('end', () => reject(new Error('A subscription ended early')));
  });
  response.resume();
  return { taskId, response };
}

async function stream(url, headers, what) {
  const response = await post(url, headers, 'SendStreamingMessage', { message: what });
  response.setEncoding('utf8');
  response.on('data', (text) => {
    const now = monotonicMs();
    for (const [, at] of text.matchAll(PIECE)) lags.push(now - Number(at));
  });
  return response;
}

function post(url, headers, method, params, through = false) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const options = { method: 'POST', agent: through, headers: { 'content-type': 'application/json', ...headers } };
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
}
