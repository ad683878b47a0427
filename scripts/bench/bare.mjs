// The parts by themselves: Fastify, a script that stores a task, BullMQ, a script that ends it, one reply channel. Nothing
// is checked, listed, leased, limited or run again after a crash: it tells how much room the parts leave for a service.
import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { fastify } from 'fastify';
import { Redis } from 'ioredis';
import { JoinedRedis } from '../../dist/platform/redis/joined-redis.js';

const CREATE = `
if not redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', 86400000) then return 0 end
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'state', 'TASK_STATE_SUBMITTED', 'message', ARGV[2])
redis.call('XADD', KEYS[1] .. ':events', '1-0', 'b', ARGV[3])
return 1`;
const COMMIT = `
if redis.call('HGET', KEYS[1], 'state') ~= 'TASK_STATE_SUBMITTED' then return 0 end
redis.call('HSET', KEYS[1], 'state', 'TASK_STATE_COMPLETED', 'artifact', ARGV[2])
for at = 3, #ARGV do redis.call('XADD', KEYS[1] .. ':events', (at - 1) .. '-0', 'b', ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], 86400000)
redis.call('PEXPIRE', KEYS[1] .. ':events', 86400000)
redis.call('PUBLISH', ARGV[1], KEYS[1] .. ' ' .. table.concat(ARGV, ',', 3))
return 1`;
const READ = `return redis.call('HMGET', KEYS[1], 'id', 'state', 'message', 'artifact')`;

const { REDIS_URL } = process.env;
const connect = () => new JoinedRedis(REDIS_URL, { maxRetriesPerRequest: null });
const [commands, runs, replies] = [connect(), connect(), new Redis(REDIS_URL)];
for (const [name, lua, numberOfKeys] of [
  ['createTask', CREATE, 2],
  ['commitTask', COMMIT, 1],
  ['readTask', READ, 1],
]) {
  for (const client of [commands, runs]) client.defineCommand(name, { numberOfKeys, lua });
}

const prefix = `{bare-${randomUUID().slice(0, 8)}}`;
const channel = `${prefix}:replies`;
const waiting = new Map();
await replies.subscribe(channel);
replies.on('message', (_channel, text) => {
  const [key] = text.split(' ', 1);
  waiting.get(key)?.(text.slice(key.length + 1));
  waiting.delete(key);
});

const event = (taskId, state) => {
  return JSON.stringify({ statusUpdate: { taskId, contextId: taskId, status: statusOf(state) } });
};
const statusOf = (state) => ({ state, timestamp: new Date().toISOString() });
const keyOf = (id) => `${prefix}:task:${id}`;

const queue = new Queue('runs', { connection: commands, prefix });
const options = {
  ...{ connection: runs, prefix, concurrency: 7, drainDelay: 5 },
  ...{ removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } },
};
const workers = Array.from({ length: 3 }, () => new Worker('runs', run, options));

async function run({ data: { id, text } }) {
  const artifact = JSON.stringify({ artifactId: 'echo', parts: [{ text }] });
  const events = [
    event(id, 'TASK_STATE_WORKING'),
    `{"artifactUpdate":{"taskId":"${id}","contextId":"${id}","artifact":${artifact}}}`,
    event(id, 'TASK_STATE_COMPLETED'),
  ];
  await runs.commitTask(keyOf(id), channel, artifact, ...events);
}

/** Gives the new task's id, and its events once it has ended. */
async function begin({ message }) {
  const id = randomUUID();
  const key = keyOf(id);
  const done = new Promise((resolve) => waiting.set(key, resolve));
  const created = event(id, 'TASK_STATE_SUBMITTED');
  await commands.createTask(key, `${prefix}:sent:${message.messageId}`, id, JSON.stringify(message), created);
  await queue.add('run', { id, text: message.parts[0].text }, { jobId: id });
  return { id, done };
}

async function sendMessage(params) {
  const { id, done } = await begin(params);
  const task = { id, contextId: id, history: [params.message] };
  if (params.configuration?.returnImmediately) {
    return `{"task":${JSON.stringify({ ...task, status: statusOf('TASK_STATE_SUBMITTED') })}}`;
  }
  const [, { artifactUpdate }, { statusUpdate }] = JSON.parse(`[${await done}]`);
  const { status } = statusUpdate;
  return `{"task":${JSON.stringify({ ...task, status, artifacts: [artifactUpdate.artifact] })}}`;
}

async function streamMessage(reply, rpcId, params) {
  const { done } = await begin(params);
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = JSON.parse(`[${await done}]`);
  reply.raw.end(
    events.map((one) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: rpcId, result: one })}\n\n`).join(''),
  );
}

async function getTask({ id }) {
  const [, state, message, artifact] = await commands.readTask(keyOf(id));
  return `{"id":"${id}","contextId":"${id}","status":{"state":"${state}"},"artifacts":[${artifact}],"history":[${message}]}`;
}

const app = fastify();
app.post('/', async (request, reply) => {
  const { id, method, params } = request.body;
  if (method === 'SendStreamingMessage') return streamMessage(reply, id, params);
  const result = await (method === 'GetTask' ? getTask(params) : sendMessage(params));
  reply.header('content-type', 'application/json');
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
});
process.once('SIGTERM', async () => {
  await app.close();
  await Promise.all([...workers, queue].map((each) => each.close()));
  process.exit(0);
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ event: 'service.started', address: url })}\n`);
