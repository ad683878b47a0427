// The floor: Fastify, one script that stores a task and claims its run, one that ends it. Nothing is checked, limited, or
// run again after a crash: two round trips and HTTP, above which everything is the service's own cost.
import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import { JoinedRedis } from '../../dist/platform/redis/joined-redis.js';

const BEGIN = `
if not redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', 86400000) then return 0 end
local now = redis.call('TIME')[1] * 1000
redis.call('HSET', KEYS[1], 'o', 'owner', 's', ARGV[2], 'h', ARGV[3], 'e1', ARGV[4])
redis.call('PEXPIRE', KEYS[1], 86400000)
redis.call('ZADD', KEYS[3], now + 8000, ARGV[1])
redis.call('ZADD', KEYS[4], 0, now .. ':' .. ARGV[1])
return now`;
const COMMIT = `
if redis.call('HMGET', KEYS[1], 's', 'x')[1] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 's', ARGV[3], 'v', ARGV[4], 'e2', ARGV[5], 'e3', ARGV[6], 'e4', ARGV[7])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[8])
redis.call('ZADD', KEYS[4], 0, ARGV[8])
redis.call('HINCRBY', KEYS[5], 'completed', 1)
redis.call('RPUSH', KEYS[6], ARGV[1])
return 1`;
const READ = `return redis.call('HGET', KEYS[1], 'v')`;

const redis = new JoinedRedis(process.env.REDIS_URL, { maxRetriesPerRequest: null });
redis.defineCommand('begin', { numberOfKeys: 4, lua: BEGIN });
redis.defineCommand('commitRun', { numberOfKeys: 6, lua: COMMIT });
redis.defineCommand('readTask', { numberOfKeys: 1, lua: READ });

const prefix = `{floor-${randomUUID().slice(0, 8)}}`;
const [due, open, ended, counts, over] = ['due', 'open', 'ended', 'counts', 'over'].map((name) => `${prefix}:${name}`);
const keyOf = (id) => `${prefix}:task:${id}`;
const [BEGUN, OVER] = ['WORKING 1 1', 'COMPLETED 4 1'];

const statusOf = (state) => `{"state":"${state}","timestamp":"${new Date().toISOString()}"}`;
const event = (id, state) => `{"statusUpdate":{"taskId":"${id}","contextId":"${id}","status":${statusOf(state)}}}`;

/** Stores a task, ends it, and gives its events and its JSON. */
async function run({ message }) {
  const id = randomUUID();
  const key = keyOf(id);
  const submitted = event(id, 'TASK_STATE_SUBMITTED');
  const words = JSON.stringify(message);
  const now = await redis.begin(key, `${prefix}:sent:${message.messageId}`, due, open, id, BEGUN, words, submitted);
  const artifact = JSON.stringify({ artifactId: 'echo', parts: [{ text: message.parts[0].text }] });
  const events = [
    event(id, 'TASK_STATE_WORKING'),
    `{"artifactUpdate":{"taskId":"${id}","contextId":"${id}","artifact":${artifact}}}`,
    event(id, 'TASK_STATE_COMPLETED'),
  ];
  const status = statusOf('TASK_STATE_COMPLETED');
  const task = `{"id":"${id}","contextId":"${id}","history":[${words}],"status":${status},"artifacts":[${artifact}]}`;
  const place = `${now}:${id}`;
  await redis.commitRun(key, due, open, ended, counts, over, id, BEGUN, OVER, task, ...events, place);
  return { id, task, events: [submitted, ...events] };
}

async function sendMessage(params) {
  if (!params.configuration?.returnImmediately) return `{"task":${(await run(params)).task}}`;
  const { id } = await run(params);
  return `{"task":{"id":"${id}","contextId":"${id}","status":${statusOf('TASK_STATE_SUBMITTED')}}}`;
}

async function streamMessage(reply, rpcId, params) {
  const { events } = await run(params);
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
  const envelope = `data: {"jsonrpc":"2.0","id":${JSON.stringify(rpcId)},"result":`;
  reply.raw.end(events.map((one) => `${envelope}${one}}\n\n`).join(''));
}

const getTask = ({ id }) => redis.readTask(keyOf(id));

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
  process.exit(0);
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ event: 'service.started', address: url })}\n`);
