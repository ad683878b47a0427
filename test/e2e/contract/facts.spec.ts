import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { aMessage } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';
import { type Way, waysTo } from './ways.js';

type Parsed = ReturnType<typeof JSON.parse>;

let running: RunningApp;
let ways: readonly Way[];

const STATES: Readonly<Record<string | number, string>> = {
  TASK_STATE_INPUT_REQUIRED: 'asks',
  'input-required': 'asks',
  6: 'asks',
};

/** What a task is about, whatever its version and binding call it. */
function factsOf(task: Parsed): object {
  const partOf = (part: Parsed): unknown => {
    const content = part.content ?? part.part;
    if (content === undefined) return part.text ?? part.data?.data ?? part.data;
    const { $case, value } = content;
    return $case === 'data' ? (value.data ?? value) : value;
  };
  const partsOf = (message: Parsed): unknown => (message?.parts ?? message?.content)?.map(partOf);
  const { state, message, update, timestamp } = task.status;
  return {
    id: task.id,
    contextId: task.contextId ?? task.sessionId,
    state: STATES[state] ?? state,
    since: new Date(timestamp).toISOString(),
    asks: partsOf(message ?? update),
    artifacts: task.artifacts.map((artifact: Parsed) => [artifact.name, partsOf(artifact), artifact.metadata]),
    history: task.history.map(partsOf),
    metadata: ownMetadata(task.metadata),
  };
}

/** Without the states that older versions tell there: 1.0 has no place for them. */
function ownMetadata({ stateTransitions: _older, ...own }: Parsed): Parsed {
  return own;
}

describe('one task', () => {
  beforeAll(async () => {
    running = await runApp({ GRPC_PORT: '0', DEFAULT_SKILL: 'scripted' }, SCRIPTED);
    ways = waysTo(running);
  });

  afterAll(async () => {
    await running.close();
  });

  it('is the same, whichever way it is read (A2A-ERR-02, A2A-GRPC-04, TCK-07)', async () => {
    const script = [
      { kind: 'status', state: 'TASK_STATE_WORKING', parts: [{ text: 'Reading' }] },
      {
        ...{ kind: 'artifact', artifactId: 'a', name: 'Answer', metadata: { page: 1 }, append: false, lastChunk: true },
        parts: [{ text: 'Grüße' }, { data: { a: [1, true, null] } }],
      },
      { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: 'Which city?' }] },
    ];
    const { message } = aMessage('Hello', {});
    const v1 = new DialectClient(running.url, { 'a2a-version': '1.0' });
    const { task } = await v1.result('SendMessage', {
      message: { ...message, metadata: { script } },
      metadata: { k: 'v' },
    });
    const facts = factsOf(task);
    expect(facts).toMatchObject({
      ...{ state: 'asks', asks: ['Which city?'], metadata: { k: 'v' } },
      artifacts: [['Answer', ['Grüße', { a: [1, true, null] }], { page: 1 }]],
      history: [['Hello'], ['Reading']],
    });
    for (const way of ways) expect([way.name, factsOf(await way.task(task.id))]).toEqual([way.name, facts]);
  });
});
