import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { TurnParked } from '@parley/sdk/skill/replay/journal.js';
import type { SkillRequest } from '@parley/sdk/skill/requests/skill-request.js';
import { SandboxedSkill } from '../../../src/skill/sandbox/sandboxed-skill.js';
import { HostedContext } from '@parley/sdk/skill/context/hosted-context.js';
import { HOST, type SkillHost } from '@parley/sdk/skill/context/skill-host.js';
import { aContext } from '@parley/sdk/testing/run-skill.js';
import type { SkillInput } from '@parley/sdk/testing/test-input.js';
import { SandboxBuild } from '../../kit/skills/sandbox-build.js';
import { BoxedSkill } from './sandbox.fixture.js';

const FIXTURE = 'test/integration/skill/sandbox.fixture';
let build: SandboxBuild;

const events = (input: SkillInput, isSimulated = false): AsyncGenerator<SkillEvent, void, void> => {
  const { [HOST]: host } = aContext(input) as HostedContext;
  const facts = { ...host.facts, isSimulated: isSimulated ? (true as const) : undefined };
  return new SandboxedSkill(build.source(BoxedSkill.name), build.options).run(
    new HostedContext({ ...host, facts } satisfies SkillHost),
  );
};

async function run(input: SkillInput): Promise<readonly SkillEvent[]> {
  const all: SkillEvent[] = [];
  for await (const event of events(input)) {
    all.push(event);
  }
  return all;
}

function facts(first: IteratorResult<SkillEvent, void>): readonly string[] {
  const [part] = first.done === true ? [] : first.value.parts;
  return part !== undefined && 'text' in part ? part.text.split(' ') : [];
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe(SandboxedSkill.name, () => {
  beforeAll(async () => {
    build = await SandboxBuild.of(FIXTURE);
  });

  afterAll(() => build.remove());

  it('runs a skill in another process without the environment of this one, and ends that process', async () => {
    const running = events({ text: 'use' });
    const [pid, , environment] = facts(await running.next());
    expect(Number(pid)).not.toBe(process.pid);
    expect(JSON.parse(environment ?? '')).not.toHaveProperty('PATH');
    expect(isAlive(Number(pid))).toBe(true);
    await running.return();
    expect(isAlive(Number(pid))).toBe(false);
  });

  it('gives the skill its whole context', async () => {
    const [state, steps] = [new Map<string, unknown>([['count', 1]]), new Map<string, unknown>()];
    const all = await run({ text: 'use', data: [{ number: 21 }], state, steps });
    expect(all.slice(1)).toMatchObject([
      { kind: 'artifact', parts: [{ data: { number: 42 } }] },
      { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED' },
    ]);
    expect(state.get('count')).toBe(2);
    expect(steps.get('once')).toEqual({ doubled: 42 });
  });

  it('says that the task is simulated (O-80)', async () => {
    for (const isSimulated of [true, false]) {
      const running = events({ text: 'simulated?' }, isSimulated);
      await running.next();
      expect(facts(await running.next())).toEqual([isSimulated ? 'true' : 'undefined']);
      await running.return();
    }
  });

  it('takes the result of a step that was done before', async () => {
    const all = await run({ text: 'use', steps: new Map([['once', { doubled: 7 }]]) });
    expect(all[1]?.parts).toEqual([{ data: { number: 7 } }]);
  });

  it('shares values and artifacts with its tree by the service (O-50, O-52)', async () => {
    const [shared, artifacts] = [new Map<string, unknown>([['count', 1]]), new Map<string, string>()];
    const all = await run({ text: 'share', shared, artifacts });
    const [reference = ''] = artifacts.keys();
    expect(all.at(-1)?.parts).toEqual([{ text: `mine mine ${reference} two offers true` }]);
    expect(shared.get('count')).toBe(2);
    expect(reference).toMatch(/^artifact:.*\/offers@1$/);
  });

  it('sends its requests from this process', async () => {
    const fetch = (url: string, { json }: SkillRequest) =>
      new Response(`${url} ${JSON.stringify(json)}`, { status: 201 });
    const all = await run({ text: 'fetch', fetch });
    expect(all[1]?.parts).toEqual([{ text: '201 https://rates.example/eur {"to":"USD"}' }]);
  });

  it('hands on why a skill failed', async () => {
    await expect(run({ text: 'fail' })).rejects.toMatchObject({ name: 'SkillFailure', message: 'It cannot be done' });
    await expect(run({ text: 'throw' })).rejects.toThrow('A fault');
    await expect(run({ text: 'bad output' })).rejects.toMatchObject({ kind: 'InvalidAgentResponse' });
  });

  it('says so when the process ends before the skill does', async () => {
    await expect(run({ text: 'exit' })).rejects.toThrow('The sandbox ended before its skill did (exit code 3)');
  });

  it('survives a skill that fills its memory', async () => {
    await expect(run({ text: 'fill memory' })).rejects.toThrow('The sandbox ended before its skill did');
  });

  it('lets a skill end by itself on abort', async () => {
    const controller = new AbortController();
    const running = events({ text: 'wait', signal: controller.signal });
    await running.next();
    const second = running.next();
    controller.abort();
    expect((await second).value).toMatchObject({ parts: [{ text: 'Aborted' }] });
    await running.return();
  });

  it('does not take a return after an abort for the end of the turn', async () => {
    const controller = new AbortController();
    const running = events({ text: 'give up', signal: controller.signal });
    await running.next();
    const second = running.next();
    controller.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('kills a skill that computes on after an abort and its grace', async () => {
    const controller = new AbortController();
    const running = events({ text: 'spin', signal: controller.signal });
    const [pid] = facts(await running.next());
    const second = running.next();
    controller.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    expect(isAlive(Number(pid))).toBe(false);
  });

  it('waits by the service: for a time, and for a message', async () => {
    const coming = [{ atMs: 90_000_000, text: 'morning' }];
    const all = await run({ text: 'doze', nowMs: 0, coming });
    expect(all.at(-1)?.parts).toEqual([{ text: 'morning at 90000000' }]);
  });

  it('ends its process at once when its task is parked', async () => {
    const controller = new AbortController();
    const boxed = events({ text: 'wait', signal: controller.signal });
    const [pid = ''] = facts(await boxed.next());
    const ending = boxed.next().catch(() => undefined);
    controller.abort(new TurnParked());
    await ending;
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });
});
