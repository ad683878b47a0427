import { afterEach, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { completed, inputRequired, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { GRPC_DIALECTS } from '../../../src/http/grpc/grpc-dialects.js';
import { GrpcBinding } from '../../../src/http/grpc/grpc.binding.js';
import { bytesOf, jsonOf } from '../../../src/http/grpc/schema/schema.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { eventually } from '../../kit/run/eventually.js';
import { readExposition } from '../../kit/checks/exposition.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { ScriptedSkill } from '../../kit/skills/scripted.skill.js';
import { settingsFile } from '../../kit/app/settings-file.js';

/** Lets skills that wait for it go on. */
let release: () => void;
let released: Promise<void>;
let atWork = 0;

function hold(): void {
  atWork = 0;
  released = new Promise((resolve) => {
    release = resolve;
  });
}

const card = { description: 'Waits for the test, whatever its signal says.', tags: ['test'], maxAttempts: 1 };

async function* stubborn(): AsyncGenerator<SkillEvent, void, void> {
  atWork += 1;
  yield working('Going on');
  await released;
  yield completed('Done');
}

@Skill({ ...card, id: 'stubborn', name: 'Stubborn', scopes: ['skill:stubborn'] })
class StubbornSkill implements SkillHandler {
  run(_context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return stubborn();
  }
}

@Skill({ ...card, id: 'stubborn_direct', name: 'Stubborn', direct: true, concurrency: 2, timeoutMs: 400 })
class StubbornDirectSkill implements SkillHandler {
  run(_context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return stubborn();
  }
}

const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel skill:stubborn';
const KEY = 'acme.secret';
const SKILLS = [StubbornSkill, StubbornDirectSkill, ScriptedSkill];

let running: RunningApp;
let client: RpcClient;

async function start(variables: Readonly<Record<string, string>> = {}): Promise<void> {
  hold();
  const keys = [KEY, 'other.secret'].map((key) =>
    apiKeyEntry(key, { tenant: key.split('.')[0] ?? '', scopes: SCOPES }),
  );
  running = await runApp(
    { API_KEYS: keys.join(';'), DEFAULT_SKILL: 'scripted', GRPC_PORT: '0', ...variables },
    { skills: SKILLS, task: { cancelGraceMs: 3_000 } },
  );
  client = new RpcClient(running.url, { 'x-api-key': KEY });
}

afterEach(async () => {
  release();
  await running.close();
});

async function send(skillId: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const params = aMessage('go', { skillId });
  return client.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }, headers);
}

async function beginTask(): Promise<string> {
  const params = { ...aMessage('go', { skillId: 'stubborn' }), configuration: { returnImmediately: true } };
  return (await client.task('SendMessage', params)).id;
}

describe('a call that waits for its answer', () => {
  it('takes one of the slots of its client, which are free again after it', async () => {
    await start({ PARLEY_FILE: settingsFile({ limits: { callsOfClient: 1 } }) });
    const waiting = send('stubborn');
    await eventually(() => {
      expect(atWork).toBe(1);
    });
    const refused = await send('scripted');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.text()).toContain('Too many waiting calls: at most 1');
    expect((await send('scripted', { 'x-api-key': 'other.secret' })).status).toBe(200);
    release();
    expect((await waiting).status).toBe(200);
    expect((await send('scripted')).status).toBe(200);
  });

  it('takes one when it is a cancel, too', async () => {
    await start({ PARLEY_FILE: settingsFile({ limits: { callsOfClient: 1 } }) });
    const id = await beginTask();
    await eventually(() => {
      expect(atWork).toBe(1);
    });
    const canceling = client.post({ jsonrpc: '2.0', id: 1, method: 'CancelTask', params: { id } });
    await eventually(async () => {
      expect((await send('scripted')).status).toBe(429);
    });
    release();
    expect((await canceling).status).toBe(200);
  });

  it('counts with the streams of the process', async () => {
    await start({ PARLEY_FILE: settingsFile({ limits: { streamsOfProcess: 1 } }) });
    const waiting = send('stubborn');
    await eventually(() => {
      expect(atWork).toBe(1);
    });
    const refused = await send('scripted', { 'x-api-key': 'other.secret' });
    expect(await refused.text()).toContain('Too many open connections: at most 1');
    release();
    await waiting;
  });
});

describe('a direct skill', () => {
  it('is not waited for beyond its time, whatever it does', async () => {
    await start();
    const began = performance.now();
    expect(await (await send('stubborn_direct')).text()).toContain('The skill took too long.');
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('has as many turns at a time as it allows, and callers beyond them are told to come back', async () => {
    await start();
    const first = [send('stubborn_direct'), send('stubborn_direct')];
    await eventually(() => {
      expect(atWork).toBe(2);
    });
    const refused = await send('stubborn_direct');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    await Promise.all(first);
    // Those that ignored their time are at work still, and keep their places.
    expect((await send('stubborn_direct')).status).toBe(503);
    expect(atWork).toBe(2);
    release();
    await eventually(async () => {
      expect(await (await send('stubborn_direct')).text()).toContain('Done');
    });
  });
});

describe('a gRPC stream', () => {
  const [dialect] = GRPC_DIALECTS;

  function grpc(): GrpcClient {
    if (dialect === undefined) throw new Error('There is no gRPC dialect');
    const { definition } = running.app.get(GrpcBinding).service(dialect);
    return new GrpcClient(running.grpc ?? '', definition, { 'x-api-key': KEY });
  }

  /** The stream's messages as JSON so far, and the status with which it ends. */
  function follow(id: string): { readonly events: unknown[]; readonly end: Promise<number> } {
    const method = dialect?.service.methods.find(({ name }) => name === 'SubscribeToTask');
    if (method === undefined) throw new Error('The dialect has no SubscribeToTask');
    const caller = grpc();
    const stream = caller.stream('SubscribeToTask', bytesOf(method.input, { id }));
    const events: unknown[] = [];
    stream.on('data', (message: Buffer) => events.push(jsonOf(method.output, message)));
    stream.on('error', () => undefined);
    const end = new Promise<number>((resolve) => {
      stream.on('status', ({ code }: { code: number }) => {
        caller.close();
        resolve(code);
      });
    });
    return { events, end };
  }

  it('ends UNAVAILABLE when the process leaves in mid-task, so that its client comes back', async () => {
    await start();
    const stream = follow(await beginTask());
    await eventually(() => {
      expect(stream.events.length).toBeGreaterThan(0);
    });
    const closing = running.close();
    expect(await stream.end).toBe(status.UNAVAILABLE);
    release();
    await closing;
  });

  it('ends UNAVAILABLE for a reader of a task that waits for its caller', async () => {
    await start();
    const script = [inputRequired('Which one?')];
    const { id } = await client.task('SendMessage', aMessage('x', { metadata: { script } }));
    const stream = follow(id);
    await eventually(() => {
      expect(stream.events).toHaveLength(1);
    });
    await running.close();
    expect(await stream.end).toBe(status.UNAVAILABLE);
  });

  it('ends OK when its task has ended', async () => {
    await start();
    const stream = follow(await beginTask());
    await eventually(() => {
      expect(stream.events.length).toBeGreaterThan(0);
    });
    release();
    expect(await stream.end).toBe(status.OK);
    const { value } = readExposition(await (await fetch(`${running.url}/metrics`)).text());
    expect(value('a2a_streams_closed_total', { how: 'ended' })).toBe(1);
  });
});

describe('the scopes of skills', () => {
  it('are in the metadata of the protected resource (RFC 9728)', async () => {
    await start({ JWT_ISSUER: 'https://issuer.example', JWT_TENANT: 'tokens' });
    const document = await (await fetch(`${running.url}/.well-known/oauth-protected-resource`)).json();
    expect(document).toMatchObject({ scopes_supported: expect.arrayContaining(['a2a:tasks.read', 'skill:stubborn']) });
  });
});
