import { describe, expect, it } from '@jest/globals';
import { RemoteAgentSkill } from '../../../src/remote-agents/mirror/remote-agent.skill.js';
import { PARKED } from '../../../src/tasks/record/state-word.js';
import { AnsweringCaller } from '../../kit/tasks/answering.js';
import { eventually } from '../../kit/run/eventually.js';
import { LOGIN, ScriptedAgent } from '../../kit/skills/scripted-agent.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';
import { TreeBench } from '../../kit/tasks/tree-bench.js';

describe(`${RemoteAgentSkill.name}, while its agent waits for a login`, () => {
  const stores = useTaskStores();

  const stateOf = async (id: string) => (await stores.now.word(id)).state.slice('TASK_STATE_'.length);
  const statesOf = async (id: string) =>
    (await stores.now.events(id)).flatMap(({ event: { value } }) =>
      'statusUpdate' in value ? [value.statusUpdate.status.state.slice('TASK_STATE_'.length)] : [],
    );
  const benchOf = (agent: ScriptedAgent) => new TreeBench(stores.now, { root: agent.skill(stores.now.mirrors) });
  /** A mirror that shows the login. */
  const waiting = async (bench: TreeBench): Promise<string> => {
    const root = await bench.root('root');
    await bench.run(root);
    expect(await stores.now.word(root)).toMatchObject({ state: LOGIN.state, nonce: PARKED });
    return root;
  };
  let digests = 0;
  const callback = (id: string) => stores.now.mirrors.hint(id, `callback-${String((digests += 1))}`);
  /** Runs what callbacks and alarms wake, until the task has a state. */
  const until = (bench: TreeBench, id: string, state: string) =>
    eventually(async () => {
      await stores.now.sweeps.wake(10);
      await bench.settle();
      expect(await stateOf(id)).toBe(state);
    });

  it('goes on with a callback of the agent, and says nothing else until then (A2A-TASKAUTH-02)', async () => {
    const agent = new ScriptedAgent();
    const bench = benchOf(agent);
    const root = await waiting(bench);
    // A callback for what is known already.
    expect(await callback(root)).toBe('woken');
    await bench.settle();
    expect([agent.polls, await statesOf(root)]).toEqual([2, ['WORKING', 'AUTH_REQUIRED']]);
    agent.state = { kind: 'open', text: '' };
    await callback(root);
    await until(bench, root, 'WORKING');
    agent.state = { kind: 'ended' };
    await callback(root);
    await until(bench, root, 'COMPLETED');
    expect(await bench.said(root)).toBe('done');
    expect(await statesOf(root)).toEqual(['WORKING', 'AUTH_REQUIRED', 'WORKING', 'COMPLETED']);
    expect(agent.sent).toHaveLength(1);
  });

  it('goes on by looking, where no callback comes, and ends with an agent that has ended meanwhile', async () => {
    const agent = new ScriptedAgent(false);
    const bench = benchOf(agent);
    const root = await waiting(bench);
    agent.state = { kind: 'ended' };
    await until(bench, root, 'COMPLETED');
    // It is too late for an answer.
    expect(await new AnsweringCaller(stores.now).say(root, 'I have')).not.toMatchObject({ kind: 'answered' });
    expect(agent.sent).toHaveLength(1);
  });

  it('misses no callback that comes between its look and its wait', async () => {
    const agent = new ScriptedAgent();
    const bench = benchOf(agent);
    const root = await bench.root('root');
    agent.onPoll = async (look) => {
      if (look === 2) agent.state = { kind: 'ended' };
      if (look <= 2) expect(await callback(root)).toBe('noted');
    };
    await bench.run(root);
    await until(bench, root, 'COMPLETED');
    expect(agent.polls).toBe(3);
    // The question was over before the task had to wait for it.
    expect(await statesOf(root)).toEqual(['WORKING', 'COMPLETED']);
  });

  it('shows each login of an agent that goes to and fro', async () => {
    const agent = new ScriptedAgent();
    const bench = benchOf(agent);
    const root = await waiting(bench);
    for (let time = 0; time < 2; time += 1) {
      for (const [state, shown] of [
        [{ kind: 'open', text: '' }, 'WORKING'],
        [LOGIN, 'AUTH_REQUIRED'],
      ] as const) {
        agent.state = state;
        await callback(root);
        await until(bench, root, shown);
      }
    }
    const shown = ['WORKING', 'AUTH_REQUIRED'];
    expect(await statesOf(root)).toEqual([...shown, ...shown, ...shown]);
  });

  it('takes the answer of its caller to the agent, and hears callbacks behind it (A2A-TASKAUTH-03)', async () => {
    const agent = new ScriptedAgent();
    const bench = benchOf(agent);
    const root = await waiting(bench);
    agent.onSend = () => {
      agent.state = { kind: 'open', text: '' };
      return { kind: 'task', taskId: 'theirs', contextId: 'c', state: 'TASK_STATE_WORKING' };
    };
    await new AnsweringCaller(stores.now).say(root, 'I have');
    await bench.settle();
    expect(await stateOf(root)).toBe('WORKING');
    agent.state = { kind: 'ended' };
    await callback(root);
    await until(bench, root, 'COMPLETED');
    expect(agent.sent.map(({ messageId, taskId, parts }) => [messageId, taskId, parts])).toEqual([
      [`${root}:1`, undefined, expect.anything()],
      [`${root}:1.1`, 'theirs', [{ text: 'I have' }]],
    ]);
  });

  it('comes to one end when the agent goes on in the moment of the answer', async () => {
    const agent = new ScriptedAgent();
    const bench = benchOf(agent);
    const root = await waiting(bench);
    agent.onSend = () => ({ kind: 'failed', text: 'The agent bank: the task has ended' });
    // The run polls, and the answer is stored before the run can withdraw its question.
    agent.state = { kind: 'ended' };
    agent.onPoll = async () => {
      agent.onPoll = () => Promise.resolve();
      expect(await new AnsweringCaller(stores.now).say(root, 'I have')).toMatchObject({ kind: 'answered' });
    };
    await callback(root);
    await until(bench, root, 'COMPLETED');
    expect(agent.sent).toHaveLength(2);
  });

  it('takes a cancel to the agent meanwhile', async () => {
    const agent = new ScriptedAgent();
    const bench = benchOf(agent);
    const root = await waiting(bench);
    stores.now.mirrors.onCancel(({ taskId }) => {
      agent.canceled.push(taskId);
      return Promise.resolve(true);
    });
    await stores.now.tasks.cancel(OWNER, root);
    for (const id of await stores.now.canceler.due(10)) await stores.now.canceler.cancelBelow(id);
    expect(await stateOf(root)).toBe('CANCELED');
    expect(agent.canceled).toEqual(['theirs']);
    expect(await callback(root)).toBe('gone');
  });
});
