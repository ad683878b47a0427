import { HttpDoor } from '../../../../test/kit/stubs/http-door.js';
import { Balancer } from '../../fleet/balancer.js';
import { Fleet } from '../../fleet/fleet.js';
import { interviewFaults, Interviews, losingFirstAnswers } from '../../load/interviews.js';
import { type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { readStoredTasks, type StoredTask } from '../../check/stored-tasks.js';
import { TwoServices } from '../../fleet/two-services.js';
import { violationsIn } from '../../check/verdict.js';

/** Answers whose responses are lost, while processes are killed: each answers its own question, and no other (B1, A2A-SEND-14). */
export const answers: Scenario = {
  name: 'answers',
  what: 'the first response of each answer is lost while processes are killed, and answers are sent again at later questions and after the end; `mirrored`: tasks whose answers go on to another service',
  tasks: { usual: 100, full: 500 },
  settings: {
    ...{ questions: 2, mirrored: 100, callers: 16, 'kill-every-ms': 700, 'timeout-s': 600 },
    ...{ processes: 2, standby: 2 },
  },

  async run(options) {
    const own = await inOneService(options);
    const mirrored = await throughMirrors(options);
    return {
      figures: { own, mirrored },
      summary: `${text(own)}; through mirrors: ${text(mirrored)}`,
      broken: [...own.broken, ...mirrored.broken.map((promise) => `through mirrors: ${promise}`)],
      late: [],
    };
  },
};

type Found = Awaited<ReturnType<typeof judge>>;

function text({ tasks, answered, lost, calls, kills, wrong }: Found): string {
  return (
    `${String(answered)} answers of ${String(tasks)} tasks, ${String(lost)} first responses lost, ${String(calls)} calls, ` +
    `${String(kills)} kills: ${String(wrong)} questions answered by another's answer`
  );
}

/** Replicas of the API die in the midst of answers, and the first response of each is lost on its way. */
async function inOneService({ tasks, random, setting }: ScenarioOptions): Promise<Found> {
  const fleet = await Fleet.start({
    size: { api: setting('processes'), worker: setting('processes'), dispatcher: 1 },
    standby: { api: setting('standby'), worker: 1 },
    taskOptions: { maxAttempts: 100 },
  });
  const way = await LossyWay.to(() => fleet.apis);
  try {
    const interviews = interviewsOf('interview', way.door, () => fleet.apis, setting);
    const kill = { everyMs: setting('kill-every-ms'), least: 1, random };
    const run = (): Promise<void> => interviews.run(tasks, setting('callers'));
    await fleet.killWhile(() => fleet.killWhile(run, { ...kill, role: 'api' }), {
      ...{ ...kill, role: 'worker', everyMs: 3 * kill.everyMs },
    });
    return await judge({ fleets: [fleet], interviews, lost: way.lost, questions: setting('questions'), tasks });
  } finally {
    await way.close();
    await fleet.stop();
  }
}

/** The answers are passed on to another service, whose responses to them are lost; processes of both die. */
async function throughMirrors({ random, setting }: ScenarioOptions): Promise<Found> {
  const sides: { both?: TwoServices } = {};
  const ours = await Balancer.start(() => sides.both?.ours.apis ?? []);
  const theirs = await LossyWay.to(() => sides.both?.theirs.apis ?? []);
  try {
    const both = await TwoServices.start({
      urls: { ours: ours.url, theirs: theirs.door.url },
      ...{ processes: setting('processes'), standby: setting('standby'), agent: { skill: 'interview' } },
    });
    sides.both = both;
    const replicas = (): readonly string[] => both.ours.apis;
    const interviews = interviewsOf('errand', undefined, replicas, setting);
    const kill = { role: 'all', everyMs: 3 * setting('kill-every-ms'), least: 1, random } as const;
    const run = (): Promise<void> => interviews.run(setting('mirrored'), setting('callers'));
    await both.theirs.killWhile(() => both.ours.killWhile(run, kill), kill);
    const fleets = [both.ours, both.theirs];
    return await judge({
      ...{ fleets, interviews, lost: theirs.lost },
      ...{ questions: setting('questions'), tasks: setting('mirrored') },
    });
  } finally {
    ours.stop();
    await theirs.close();
    await sides.both?.stop();
  }
}

/** The public address of a service, behind which the first response of each answer is lost. */
class LossyWay {
  readonly lost = new Set<string>();

  private constructor(
    readonly door: HttpDoor,
    private readonly balancer: Balancer,
  ) {
    door.target = balancer.url;
    door.loses = losingFirstAnswers(this.lost);
  }

  static async to(replicas: () => readonly string[]): Promise<LossyWay> {
    return new LossyWay(await new HttpDoor().listen(), await Balancer.start(replicas));
  }

  async close(): Promise<void> {
    this.balancer.stop();
    await this.door.close();
  }
}

function interviewsOf(
  skillId: string,
  door: HttpDoor | undefined,
  replicas: () => readonly string[],
  setting: ScenarioOptions['setting'],
): Interviews {
  const sentTo = door === undefined ? replicas : (): readonly string[] => [door.url];
  const timeoutMs = setting('timeout-s') * 1_000;
  return new Interviews({ skillId, questions: setting('questions'), door: sentTo, replicas, timeoutMs });
}

interface Evidence {
  /** That of the callers first. */
  readonly fleets: readonly Fleet[];
  readonly interviews: Interviews;
  readonly lost: ReadonlySet<string>;
  readonly questions: number;
  readonly tasks: number;
}

async function judge({ fleets, interviews, lost, questions, tasks }: Evidence) {
  const stored = await Promise.all(fleets.map(({ redis, keyPrefix }) => readStoredTasks(redis.url, keyPrefix)));
  const violated = (await Promise.all(fleets.map(violationsIn))).flat();
  const surprises = fleets.flatMap((fleet) => fleet.surprises);
  const own = new Map(stored[0]?.map((task) => [task.id, task]));
  const roots = interviews.ids.flatMap((id) => own.get(id) ?? []);
  const wrong = roots.flatMap((task) => interviewFaults(task, questions));
  const asking = stored.flat().filter(({ fields }) => fields.skill === 'interview');
  const overfull = asking.filter((task) => messagesIn(task) !== questions + 1).map(({ id }) => id);
  const { sent, calls } = interviews;
  return {
    ...{ tasks: roots.length, answered: roots.length * questions, sent, calls, lost: lost.size },
    ...{ kills: fleets.reduce((sum, fleet) => sum + fleet.kills.length, 0), wrong: wrong.length },
    broken: unless({
      [`tasks are missing: ${String(roots.length)} of ${String(tasks)}`]: roots.length === tasks,
      [`a question was answered by another's answer: ${wrong.slice(0, 3).join('; ')}`]: wrong.length === 0,
      [`tasks of interviews: ${String(asking.length)} of ${String(tasks)}`]: asking.length === tasks,
      [`tasks have not each answer once: ${overfull.slice(0, 3).join()}`]: overfull.length === 0,
      [`responses were lost of ${String(lost.size)} answers only`]: lost.size >= tasks * questions,
      [`stored tasks are not as they must be: ${violated.slice(0, 3).join('; ')}`]: violated.length === 0,
      [`processes ended by themselves: ${surprises.slice(0, 3).join('; ')}`]: surprises.length === 0,
    }),
  };
}

function messagesIn({ history }: StoredTask): number {
  return history.filter(({ role }) => role === 'ROLE_USER').length;
}
