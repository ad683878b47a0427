import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { CallFailed } from '@parley/sdk/skill/calls/call.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { type BadAnswer, BadAgents, endless, json, taskAnswer } from '../../kit/stubs/bad-agent.js';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** Calls the agent that its text names, and says why there is no result. */
@Skill({ id: 'ask_bad', name: 'Asks bad agents', description: 'Calls another agent.', tags: ['test'] })
class AskBadSkill implements SkillHandler {
  async *run({ text, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    try {
      yield artifact('result', (await call(remote(text), 'x')).text);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      yield artifact('why', [{ data: { why: error.why, text: error.message } }]);
    }
  }
}

const SECRET = 'secret-of-the-operator';
const MIB = 1024 * 1024;
const LINE = `data: ${'x'.repeat(10 * MIB)}\n\n`;
const DONE = { status: { state: 'TASK_STATE_COMPLETED' } };

/** Only questions about the task are answered so: the message itself is taken. */
const onLook =
  (answer: BadAnswer): BadAnswer =>
  (response, call) => {
    if (call.method === 'SendMessage') taskAnswer(response, call);
    else answer(response, call);
  };

/** What the origin that nobody has allowed would hear. */
let elsewhere: BadAgents;
let bad: BadAgents;
let ours: RunningApp;
let folder: string;
let client: RpcClient;

/** The agents by their names, why a call of each fails, and a word of the reason. */
const CASES: readonly (readonly [name: string, what: string, why: string, text: RegExp])[] = [
  ['endless', 'a stream without an end as the answer to a message', 'unknown', /more than 16777216 bytes/],
  ['endlesslook', 'the same as the answer to a look', 'remote', /more than 16777216 bytes/],
  ['line', 'one line of 10 MB', 'remote', /answer/],
  ['large', 'an artifact of 24 MB', 'remote', /more than 16777216 bytes/],
  ['expired', '401 in the middle of its work', 'auth', /401/],
  ['other', 'the end of another task', 'remote', /another task/],
  ['redirect', 'a redirect to another address', 'remote', /answered 307/],
  ['metadata', 'a redirect to a private address', 'remote', /answered 307/],
  ['cardaway', 'a card that is a redirect', 'remote', /answered 302/],
  ['liar', 'a card whose interfaces are at another origin', 'remote', /names interfaces at/],
  ['private', 'a card with a private address that its operator has named', 'remote', /may not call/],
  ['html', 'a page instead of an answer', 'unknown', /answer/],
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-bad-'));
  elsewhere = await new BadAgents({}).listen();
  const away =
    (status: number, to: string): BadAnswer =>
    (response) => {
      response.writeHead(status, { location: to }).end();
    };
  const at = (url: string): object => ({
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });
  bad = await new BadAgents(
    {
      endless: (response) => endless(response, 'text/event-stream', ': still here\n\n'.repeat(1000)),
      endlesslook: onLook((response) => endless(response, 'application/json', ' '.repeat(65_536))),
      line: onLook((response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(LINE)),
      large: onLook((response, call) =>
        taskAnswer(response, call, {
          ...DONE,
          artifacts: [{ artifactId: 'a', parts: [{ text: 'x'.repeat(24 * MIB) }] }],
        }),
      ),
      expired: onLook((response) => json(response, { error: `no ${SECRET}` }, 401)),
      other: onLook((response, call) => taskAnswer(response, { ...call, taskId: 'of-another' }, DONE)),
      redirect: away(307, `${elsewhere.url}/any`),
      metadata: away(307, 'http://169.254.169.254/latest/meta-data'),
      html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'),
    },
    {
      cardaway: (response) => response.writeHead(302, { location: `${elsewhere.url}/any` }).end(),
      liar: at(`${elsewhere.url}/any`),
      private: at('http://10.0.0.1/'),
    },
  ).listen();
  const auth = { type: 'bearer', token: SECRET };
  const agents = CASES.map(([name]) => [
    name,
    {
      card: `${bad.url}/${name}/card.json`,
      auth,
      timeoutMs: 8000,
      ...(name === 'private' ? { origins: ['http://10.0.0.1'] } : {}),
    },
  ]);
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify(Object.fromEntries(agents)));
  const allow = [bad.url, elsewhere.url].map((url) => `${new URL(url).host}=127.0.0.1/32!http`).join(';');
  ours = await runApp({ AGENTS_FILE: file, EGRESS_ALLOW: allow }, { skills: [AskBadSkill] });
  client = new RpcClient(ours.url);
});

afterAll(async () => {
  await ours.close();
  await bad.close();
  await elsewhere.close();
  await rm(folder, { recursive: true, force: true });
});

async function called(name: string): Promise<Task> {
  const { id } = await client.task('SendMessage', {
    ...aMessage(name, { skillId: 'ask_bad' }),
    configuration: { returnImmediately: true },
  });
  return eventually(
    async () => {
      const task = await client.task('GetTask', { id });
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      return task;
    },
    { timeoutMs: 15_000 },
  );
}

describe('an agent that breaks the protocol on purpose', () => {
  it('O-66, O-70: ends each call in time with its reason, and gets no credential anywhere but at its own origin', async () => {
    const began = Date.now();
    const ended = await Promise.all(CASES.map(async ([name]) => [name, await called(name)] as const));
    const found = Object.fromEntries(
      ended.map(([name, { artifacts }]) => [name, (artifacts?.[0]?.parts[0] as { data: unknown }).data]),
    );
    for (const [name, what, why, text] of CASES) {
      expect({ what, ...(found[name] as object) }).toEqual({ what, why, text: expect.stringMatching(text) });
    }
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(JSON.stringify(ended)).not.toContain(SECRET);
    expect(elsewhere.heard).toEqual([]);
    expect(
      bad.heard.filter(({ path }) => path.endsWith('card.json')).map(({ authorization }) => authorization),
    ).toEqual(CASES.map(() => undefined));
    // What is over the bound is cut, not read to an end that never comes.
    await eventually(() => expect(bad.open).toBe(0));
  });
});
