import { A2AService } from '@a2a-js/sdk/server/grpc';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { artifact, chunk, completed, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { collect } from '../../kit/callers/collect.js';
import { eventually } from '../../kit/run/eventually.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

const about = (id: string) => ({ id, name: id, description: 'For tests', tags: [] });
const MIB = 1_048_576;

/** Never stops writing, unless it is made to. */
@Skill(about('endless'))
class EndlessSkill implements SkillHandler {
  static chunks = 0;
  static hasLeft = false;

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    try {
      for (;;) {
        yield chunk('text', 'x'.repeat(MIB));
        EndlessSkill.chunks += 1;
      }
    } finally {
      EndlessSkill.hasLeft = true;
    }
  }
}

/** Fails with a text of 100 MiB. */
@Skill(about('verbose'))
class VerboseSkill implements SkillHandler {
  // eslint-disable-next-line require-yield -- it never gets that far
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    throw new SkillFailure('no '.repeat(35 * MIB));
  }
}

const HALF = 'half \ud83d, whole 😀';
const SOUND = 'half \ufffd, whole 😀';

/** Cuts its texts between the halves of a character. */
@Skill(about('halves'))
class HalvesSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    yield working(HALF, { [HALF]: HALF });
    yield artifact('a', HALF, { name: HALF });
    yield chunk('b', HALF);
    yield chunk('b', HALF, { last: true });
    yield completed(HALF);
  }
}

@Skill({ ...about('direct_halves'), direct: true })
class DirectHalvesSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await Promise.resolve();
    yield completed(HALF, { [HALF]: HALF });
  }
}

describe('what a skill writes', () => {
  let receiver: Receiver;
  let service: RunningApp;
  let rpc: RpcClient;

  beforeAll(async () => {
    receiver = await new Receiver().listen();
    const variables = { EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`, GRPC_PORT: '0', DEFAULT_SKILL: 'halves' };
    service = await runApp(variables, { skills: [EndlessSkill, VerboseSkill, HalvesSkill, DirectHalvesSkill] });
    rpc = new RpcClient(service.url);
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  it('is bounded in bytes: a task that would hold more ends FAILED with the reason, and keeps what it has', async () => {
    const task = await rpc.task('SendMessage', aMessage('go', { skillId: 'endless' }));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts).toEqual([
      { text: "The skill's output is too large: a task stores 64 MiB. What was written before is kept." },
    ]);
    // Each chunk is stored twice: as an event and as a part of the artifact.
    const kept = task.artifacts?.[0]?.parts.length ?? 0;
    expect([kept > 20, kept <= 32]).toEqual([true, true]);
    await eventually(() => expect(EndlessSkill.hasLeft).toBe(true));
    expect(EndlessSkill.chunks).toBeLessThan(200);
  });

  it('is cut where it is the reason of a failure', async () => {
    const task = await rpc.task('SendMessage', aMessage('go', { skillId: 'verbose' }));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task.status.message).length).toBeLessThan(5_000);
  });

  it('is UTF-8, and the same for GetTask on each binding, streams and webhooks (F7)', async () => {
    const { message } = aMessage('go');
    const configuration = { taskPushNotificationConfig: { url: receiver.url } };
    const events = await collect(rpc.stream('SendStreamingMessage', { message, configuration }));
    const [first] = events;
    const { id = '' } = first?.data.result?.task ?? {};
    const streamed = events.slice(1).map(({ data }) => data.result);
    expect(textsOf(streamed)).toEqual([SOUND, SOUND, SOUND, SOUND, SOUND, SOUND, SOUND, SOUND]);

    const task = await rpc.task('GetTask', { id });
    expect(task.artifacts?.map(({ parts }) => textsOf(parts))).toEqual([[SOUND], [SOUND, SOUND]]);
    expect((await new RestClient(service.url).call('GET', `/tasks/${id}`)).body).toEqual(task);
    const grpc = new GrpcClient(service.grpc ?? '', A2AService, { 'a2a-version': '1.0' });
    expect(JSON.stringify(await grpc.call('getTask', { id, tenant: '' }))).toContain(SOUND);
    grpc.close();
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_COMPLETED'));
    const delivered = receiver.received.map(({ body }) => JSON.parse(body) as unknown);
    expect(delivered.slice(-streamed.length)).toEqual(streamed);
    expect(JSON.stringify([events, task, delivered])).not.toContain('\\ud83d');
  });

  it('is UTF-8 in a direct answer', async () => {
    const { result } = await rpc.call('SendMessage', aMessage('go', { skillId: 'direct_halves' }));
    expect(result?.message).toMatchObject({ parts: [{ text: SOUND }], metadata: { [SOUND]: SOUND } });
  });
});

/** All texts and names in a value, in order, that a skill above has written. */
function textsOf(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/"(half [^"]*)"/g)].map(([, text = '']) => text);
}
