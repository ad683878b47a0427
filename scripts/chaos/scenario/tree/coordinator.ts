import { OpenAiStub, type StubAnswer, type StubRequest } from '../../../../test/kit/stubs/openai-stub.js';
import { Fleet } from '../../fleet/fleet.js';
import { type Scenario, unless } from '../../scenario.js';
import { readStoredTasks, type StoredTask } from '../../check/stored-tasks.js';
import { type TreePlan, TreeWork } from '../../load/tree-work.js';
import { violationsIn } from '../../check/verdict.js';
import { setTimeout as pause } from 'node:timers/promises';

/** Input of the caller; the coordinator gives it to its model. */
const PLAN: TreePlan = { depth: 0, width: 1, limit: 1, steps: 0, pauseMs: 0, asks: false };
const ANSWER = 'All is done.';
/** In turn: a function in a step, and a skill as a child task. */
const TOOLS = ['mark', 'leaf'] as const;

/** A model chooses tools while workers are killed: no stored reply is asked for again, and no finished tool is run again (F16). */
export const coordinator: Scenario = {
  name: 'coordinator',
  what: 'agents whose model calls functions and skills, while a random worker is killed, mostly within such a call',
  tasks: { usual: 50, full: 300 },
  settings: { workers: 3, standby: 2, least: 1, rounds: 6, 'model-ms': 100, 'kill-every-ms': 400, 'timeout-s': 300 },

  async run({ tasks, random, setting }) {
    const [rounds, modelMs] = [setting('rounds'), setting('model-ms')];
    const model = await OpenAiStub.start(async ({ body }) => {
      await pause(modelMs);
      return answerOf(body.messages.filter(({ role }) => role === 'assistant').length, rounds);
    });
    const fleet = await Fleet.start({
      size: { api: 1, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      taskOptions: { maxAttempts: 100 },
      variables: { MODEL_URL: model.url, MODEL_NAME: 'chaos', WORKER_CONCURRENCY: String(RUNS) },
    });
    try {
      const work = new TreeWork(PLAN, () => fleet.apis, random, 'coordinator');
      const kill = { role: 'worker', everyMs: setting('kill-every-ms'), least: setting('least'), random } as const;
      await fleet.killWhile(() => work.run(tasks, setting('timeout-s') * 1_000), kill);
      const found = await findingsOf(fleet, { work, requests: model.requests, tasks, rounds });
      return {
        figures: found.figures,
        summary: summaryOf(found.figures, rounds),
        broken: unless(found.promises),
        late: [],
      };
    } finally {
      await fleet.stop();
      await model.close();
    }
  },
};

interface Observed {
  readonly work: TreeWork;
  readonly requests: readonly StubRequest[];
  readonly tasks: number;
  readonly rounds: number;
}

/** Compares the requests to the model with the stored ones. */
async function findingsOf(fleet: Fleet, { work, requests, tasks, rounds }: Observed) {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const { again, changed } = askedOf(requests);
  const children = tasks * Math.floor(rounds / TOOLS.length);
  const figures = {
    ...{ agents: tasks, kills: fleet.kills.length, asked: requests.length },
    inDoubt: requests.length - tasks * (rounds + 1),
    ...{ askedAgain: again.length, repeatedTools: changed.length, children: stored.length - tasks },
    unfinished: stored.filter(({ fields }) => fields.state !== 'TASK_STATE_COMPLETED').length,
    wrongAnswers: stored.filter((task) => work.roots.includes(task.id) && textOf(task) !== ANSWER).length,
    violations: (await violationsIn(fleet)).length,
  };
  const { surprises } = fleet;
  const promises = {
    [`replies that were stored were asked for again: ${again.slice(0, 3).join('; ')}`]: again.length === 0,
    [`tools that had finished were run again: ${changed.slice(0, 3).join('; ')}`]: changed.length === 0,
    'more calls of the model were made twice than killed workers had runs': figures.inDoubt <= figures.kills * RUNS,
    [`there are ${String(figures.children)} children, and not ${String(children)}`]: figures.children === children,
    'agents are not completed': figures.unfinished === 0,
    'answers are wrong': figures.wrongAnswers === 0,
    'stored tasks are not as they must be': figures.violations === 0,
    [`processes ended by themselves: ${surprises.slice(0, 3).join('; ')}`]: surprises.length === 0,
  };
  return { figures, promises };
}

function summaryOf(
  { agents, kills, askedAgain, repeatedTools, inDoubt }: Awaited<ReturnType<typeof findingsOf>>['figures'],
  rounds: number,
): string {
  return (
    `${String(agents)} coordinators of ${String(rounds + 1)} model calls and ${String(rounds)} calls of tools, ${String(kills)} kills: ` +
    `${String(askedAgain)} stored replies asked for again, ${String(repeatedTools)} finished tools run again, ` +
    `${String(inDoubt)} calls of the model made twice because a worker died in them`
  );
}

/** Runs of one worker at a time: a kill leaves at most as many calls of the model in doubt. */
const RUNS = 10;

function answerOf(round: number, rounds: number): StubAnswer {
  if (round >= rounds) return { text: ANSWER };
  return { tool: TOOLS[round % TOOLS.length] ?? TOOLS[0], given: { text: `round ${String(round)}` } };
}

/** Compares the requests of each task, in the order in which they came: their parts about earlier rounds are stored. */
function askedOf(requests: readonly StubRequest[]): {
  readonly again: readonly string[];
  readonly changed: readonly string[];
} {
  const known = new Map<string, { round: number; readonly results: string[] }>();
  const again: string[] = [];
  const changed: string[] = [];
  for (const { headers, body } of requests) {
    const task = String(headers['idempotency-key']).slice(0, TASK_ID_LENGTH);
    const results = body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const before = known.get(task) ?? { round: 0, results: [] };
    if (results.length < before.round) again.push(`${task} in round ${String(results.length)}`);
    for (const [round, result] of results.entries()) {
      before.results[round] ??= result;
      if (before.results[round] !== result) changed.push(`${task}, tool ${String(round)}`);
    }
    known.set(task, { round: Math.max(before.round, results.length), results: before.results });
  }
  return { again, changed };
}

const TASK_ID_LENGTH = 36;

/** The streamed answer: the last chunks that begin the artifact anew count. */
function textOf({ events }: StoredTask): string {
  let text = '';
  for (const { event } of events) {
    if (!('artifactUpdate' in event)) continue;
    const { append, artifact } = event.artifactUpdate;
    const piece = artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
    text = append === true ? text + piece : piece;
  }
  return text;
}
