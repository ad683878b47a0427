import { appendFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pinOf } from '../../../../src/mcp-tools/client/tool-definition.js';
import { McpClient } from '../../../../test/kit/callers/mcp-client.js';
import { temporaryFolder } from '../../../../test/kit/run/temporary-folder.mjs';
import { ECHO_TOOL, ToolServerStub } from '../../../../test/kit/mcp-tools/tool-server-stub.js';
import { monotonicMs } from '../../../bench/system/work.mjs';
import { call } from '../../load/caller.js';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { AT_ONCE, type Ground, has, marksOf, SETTLE_MS } from '../../fleet/mcp-ground.js';
import { resumes } from '../../load/mcp-resumes.js';
import { type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { readStoredTasks } from '../../check/stored-tasks.js';

const SECRET_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
/** How long a tool works: long enough that a worker dies in the midst of many calls. */
const TOOL_MS = 200;

/**
 * MCP both ways while processes die: closed streams cancel skills of other processes, cut streams continue at another replica when theirs
 * is killed, and a tool that may be called once is not called again when a worker dies between the call and its result.
 */
export const mcp: Scenario = {
  name: 'mcp',
  what: 'MCP: closed streams cancel, streams of killed replicas go on elsewhere, and no tool is called a second time',
  tasks: { usual: 100, full: 1_000 },
  settings: { apis: 2, workers: 2, standby: 1, 'kill-every-ms': 700, 'calls-each': 1 },

  async run(options) {
    return onGround(options, async (ground) => {
      const canceled = await cancels(ground, options);
      options.say(`${String(canceled.ms.count)} closed streams: ${JSON.stringify(canceled.ms)} ms to the skill`);
      const resumed = await resumes(ground, options);
      options.say(`${String(resumed.trials)} streams, ${String(resumed.kills)} replicas killed`);
      const once = await tools(ground, options);
      const surprises = ground.fleet.surprises.slice(0, 3).join('; ');
      return {
        figures: {
          cancelMs: canceled.ms,
          resumeMs: resumed.ms,
          missedMs: resumed.wordMs,
          kills: resumed.kills + once.kills,
          once,
        },
        summary:
          `${String(canceled.ms.count)} closed streams reached their skills after ${String(canceled.ms.p99)} ms (p99); ` +
          `${String(resumed.trials)} streams went on at another replica, first frame after ${String(resumed.ms.p99)} ms and ` +
          `what they had missed after ${String(resumed.wordMs.p99)} ms (p99); ` +
          `${String(once.calls)} tool calls, ${String(once.kills)} workers killed: ${String(once.doubled)} second calls`,
        broken: unless({
          [`${String(canceled.deaf)} closed streams did not cancel`]: canceled.deaf === 0,
          [`streams lost or doubled something: ${resumed.faults.slice(0, 3).join('; ')}`]: resumed.faults.length === 0,
          [`${String(once.doubled)} calls were made a second time`]: once.doubled === 0,
          [`${String(once.unfinished)} tasks did not end`]: once.unfinished === 0,
          [`${String(once.wrong)} tasks ended neither with a result nor with an unknown outcome`]: once.wrong === 0,
          [`processes ended by themselves: ${surprises}`]: ground.fleet.surprises.length === 0,
        }),
        late: unless({
          'a closed stream took longer than 100 ms (p99) to reach its skill': canceled.ms.p99 <= 100,
          'a stream that goes on took longer than 50 ms (p99) to its first frame': resumed.ms.p99 <= 50,
          'a stream that goes on took longer than 50 ms (p99) to what was missed': resumed.wordMs.p99 <= 50,
        }),
      };
    });
  },
};

async function onGround<T>({ setting }: ScenarioOptions, work: (ground: Ground) => Promise<T>): Promise<T> {
  const folder = temporaryFolder('chaos-mcp');
  const counted = new Map<string, number>();
  const tools = await countingTools(counted);
  const [file, marks] = [join(folder, 'servers.json'), join(folder, 'marks')];
  appendFileSync(marks, '');
  const { description, inputSchema } = ECHO_TOOL;
  const echo = { pin: pinOf({ ...ECHO_TOOL }), exposeAs: 'counted', definition: { description, inputSchema } };
  await writeFile(file, JSON.stringify({ files: { url: tools.url, concurrency: 200, tools: { echo } } }));
  const fleet = await Fleet.start({
    size: { api: setting('apis'), worker: setting('workers'), dispatcher: 1 },
    standby: { api: 1, worker: setting('standby') },
    taskOptions: { maxAttempts: 100 },
    variables: {
      ...{ MCP: 'true', SECRET_KEYS, MCP_SERVERS_FILE: file, CHAOS_MARKS: marks },
      EGRESS_ALLOW: `${tools.host}=127.0.0.1/32!http`,
    },
  });
  try {
    return await work({ fleet, marks, tools, counted });
  } finally {
    await fleet.stop();
    await tools.stop();
  }
}

async function countingTools(counted: Map<string, number>): Promise<ToolServerStub> {
  const stub = await new ToolServerStub().start();
  stub.answers.set('tools/call', async ({ params }) => {
    const { 'parley/idempotencyKey': key = '' } = params._meta as Readonly<Record<string, string>>;
    counted.set(key, (counted.get(key) ?? 0) + 1);
    await pause(TOOL_MS);
    return { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
  });
  return stub;
}

/** Closes the stream of each call while its skill works in another process; gives how long the skill took to see it. */
async function cancels(ground: Ground, { tasks }: ScenarioOptions) {
  const took: number[] = [];
  let deaf = 0;
  for (let left = tasks; left > 0; left -= AT_ONCE) {
    const names = Array.from({ length: Math.min(left, AT_ONCE) }, () => randomUUID());
    const client = new McpClient(ground.fleet.apis[0] ?? '');
    const open = names.map((text) => {
      const leave = new AbortController();
      const params = { name: 'patient', arguments: { text } };
      return { text, leave, answer: client.request('tools/call', params, { signal: leave.signal }) };
    });
    await until(async () => has(await marksOf(ground, 'began'), names), SETTLE_MS);
    const closed = new Map<string, number>();
    for (const { text, leave } of open) {
      closed.set(text, monotonicMs());
      leave.abort();
    }
    await Promise.allSettled(open.map(({ answer }) => answer));
    await until(async () => has(await marksOf(ground, 'aborted'), names), 10_000).catch(() => undefined);
    const aborted = await marksOf(ground, 'aborted');
    for (const [name, at] of closed) {
      const seen = aborted.get(name);
      if (seen === undefined) deaf += 1;
      else took.push(seen - at);
    }
  }
  return { ms: spread(took), deaf };
}

/** Calls of a tool that may be called once, while workers are killed. */
async function tools({ fleet, counted }: Ground, { tasks, random, setting }: ScenarioOptions) {
  await fleet.whenFull();
  const before = fleet.kills.length;
  const ids: string[] = [];
  const work = async (): Promise<void> => {
    for (let left = tasks * setting('calls-each'); left > 0; left -= AT_ONCE) {
      const some = Array.from({ length: Math.min(left, AT_ONCE) }, () => beginCall(fleet));
      ids.push(...(await Promise.all(some)));
      await pause(TOOL_MS / 2);
    }
  };
  const kill = { role: 'worker', everyMs: setting('kill-every-ms'), least: 1, random } as const;
  await fleet.killWhile(work, kill);
  const areOver = async (): Promise<boolean> => (await statesOf(fleet, ids)).every(({ state }) => isOver(state));
  // Tasks that have not ended by then are counted below.
  await until(areOver, SETTLE_MS).catch(() => undefined);
  const states = await statesOf(fleet, ids);
  const isDone = ({ state }: Ending): boolean => state === 'TASK_STATE_COMPLETED';
  const isUnknown = ({ state, text }: Ending): boolean =>
    state === 'TASK_STATE_FAILED' && text.includes('may have been called');
  return {
    calls: counted.size,
    kills: fleet.kills.length - before,
    doubled: [...counted.values()].filter((count) => count > 1).length,
    completed: states.filter(isDone).length,
    unknown: states.filter(isUnknown).length,
    unfinished: states.filter(({ state }) => !isOver(state)).length,
    wrong: states.filter((one) => isOver(one.state) && !isDone(one) && !isUnknown(one)).length,
  };
}

interface Ending {
  readonly state: string;
  readonly text: string;
}

async function beginCall(fleet: Fleet): Promise<string> {
  const parts = [{ data: { text: 'x' } }];
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts, metadata: { skillId: 'counted' } };
  const params = { message, configuration: { returnImmediately: true } };
  const { result } = await call(fleet.apis[0] ?? '', 'SendMessage', params, 20_000);
  const { task } = result as { readonly task?: { readonly id: string } };
  if (task === undefined) throw new Error(`A call did not begin: ${JSON.stringify(result)}`);
  return task.id;
}

async function statesOf(fleet: Fleet, ids: readonly string[]): Promise<readonly Ending[]> {
  const wanted = new Set(ids);
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  return stored
    .filter(({ id }) => wanted.has(id))
    .map(({ fields }) => ({ state: fields.state ?? '', text: fields.message ?? '' }));
}

function isOver(state: string): boolean {
  return state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_FAILED';
}
