import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkExchanges } from '../../../src/cli/ops/doctor/exchange-check.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import type { Task } from '@parley/protocol/model/task.js';
import { publicPartOf, readClientKey } from '@parley/client/auth/client-assertion.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { answer, ExchangeServer } from '../../kit/auth/exchange-server.js';
import { AUDIENCE, TestIssuer } from '../../kit/auth/test-issuer.js';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** The other agent: says who has called it. */
@Skill({ id: 'whoami', name: 'Who am I', description: 'Names its caller.', tags: ['test'] })
class WhoAmISkill implements SkillHandler {
  async *run({ text, sleep, principal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    if (text.startsWith('slow ')) await sleep(Number(text.slice(5)));
    const { tenant, client, subject } = principal;
    yield artifact('who', [{ data: { tenant, client, ...(subject === undefined ? {} : { subject }) } }]);
  }
}

/** Hands its message on. */
@Skill({ id: 'ask', name: 'Ask', description: 'Calls the other agent.', tags: ['test'] })
class AskSkill implements SkillHandler {
  async *run({ text, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('result', [{ data: (await call(remote('finance'), text)).data[0] ?? null }]);
  }
}

const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';

let issuer: TestIssuer;
let exchange: ExchangeServer;
let theirs: RunningApp;
let ours: RunningApp;
let folder: string;
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'one' });
  const key = readClientKey(jwk);
  if (key === undefined) throw new Error('no key');
  folder = await mkdtemp(join(tmpdir(), 'parley-exchange-'));
  issuer = await TestIssuer.start();
  exchange = await ExchangeServer.start({ parley: { keys: [publicPartOf(key)] } });
  theirs = await runApp(
    {
      ...{ JWT_ISSUER: exchange.url, JWKS_URI: exchange.jwksUrl, JWT_AUDIENCE: 'finance', JWT_TENANT_CLAIM: 'org' },
      OWNERSHIP: 'client-and-user',
    },
    { skills: [WhoAmISkill] },
  );
  const file = join(folder, 'agents.json');
  const auth = {
    ...{ type: 'token-exchange', tokenUrl: exchange.tokenUrl, clientId: 'parley', key: jwk, issuer: exchange.url },
    ...{ audience: 'finance', scope: SCOPES },
  };
  await writeFile(file, JSON.stringify({ finance: { card: theirs.url, auth, mode: 'poll', timeoutMs: 60_000 } }));
  const allow = [new URL(theirs.url).host, exchange.host].map((one) => `${one}=127.0.0.1/32!http`).join(';');
  variables = {
    ...{
      JWT_ISSUER: issuer.url,
      JWT_AUDIENCE: AUDIENCE,
      JWT_TENANT_CLAIM: 'org',
      KEY_PREFIX: `test-exchange-${String(process.pid)}`,
    },
    ...{ AGENTS_FILE: file, EGRESS_ALLOW: allow },
  };
  ours = await runApp(variables, { skills: [AskSkill] });
});

afterAll(async () => {
  await ours.close();
  await theirs.close();
  await exchange.stop();
  await issuer.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  exchange.seen.length = 0;
  exchange.misbehavior = undefined;
  exchange.lifeSeconds = 300;
  exchange.claims = () => ({});
});

const caller = (subject: string, org: string): RpcClient => {
  const token = issuer.token({ sub: subject, client_id: 'webapp', org, scope: SCOPES });
  return new RpcClient(ours.url, { authorization: `Bearer ${token}` });
};

const begin = (client: RpcClient, text: string): Promise<Task> =>
  client.task('SendMessage', { ...aMessage(text, { skillId: 'ask' }), configuration: { returnImmediately: true } });

async function ended(client: RpcClient, { id }: Task, state = 'COMPLETED'): Promise<Task> {
  return eventually(
    async () => {
      const task = await client.task('GetTask', { id });
      expect(task.status.state).toBe(`TASK_STATE_${state}`);
      return task;
    },
    { timeoutMs: 20_000 },
  );
}

const whoOf = ({ artifacts }: Task): unknown => (artifacts?.[0]?.parts[0] as { data: unknown }).data;

describe('agents that must know the caller', () => {
  it('O-66: know each caller of each tenant by a token of its own, side by side, and never by its own token', async () => {
    const callers = [
      ['alice', 'acme'],
      ['bob', 'acme'],
      ['alice', 'other'],
    ] as const;
    const found = await Promise.all(
      [...callers, ...callers].map(async ([subject, org]) => {
        const client = caller(subject, org);
        return whoOf(await ended(client, await begin(client, 'who')));
      }),
    );
    const known = callers.map(([subject, tenant]) => ({ tenant, client: 'parley', subject }));
    expect(found).toEqual([...known, ...known]);
    // One exchange a caller, by what the service says of it.
    expect(exchange.seen).toHaveLength(3);
    for (const { subject } of exchange.seen) expect(subject.iss).toBe('parley');
  });

  it('go on for a caller when the service was started again in the middle', async () => {
    const client = caller('carol', 'acme');
    const task = await begin(client, 'slow 3000');
    await eventually(() => expect(exchange.seen).toHaveLength(1), { timeoutMs: 10_000 });
    await ours.close();
    ours = await runApp(variables, { skills: [AskSkill] });
    expect(whoOf(await ended(caller('carol', 'acme'), task))).toEqual({
      tenant: 'acme',
      client: 'parley',
      subject: 'carol',
    });
    expect(new Set(exchange.seen.map(({ subject }) => subject.sub))).toEqual(new Set(['carol']));
    expect(exchange.seen).toHaveLength(2);
  });

  it('get another token when one has ended before its time', async () => {
    exchange.lifeSeconds = 1;
    exchange.claims = ({ subject }) => ({
      exp: Math.floor(Date.now() / 1000) - (subject.sub === 'dave' && exchange.seen.length === 1 ? 60 : -60),
    });
    const client = caller('dave', 'acme');
    expect(whoOf(await ended(client, await begin(client, 'who')))).toMatchObject({ subject: 'dave' });
    expect(exchange.seen.length).toBeGreaterThan(1);
  });

  it('are not called for a caller that the authorization server refuses, or knows as another one', async () => {
    const client = caller('erin', 'acme');
    exchange.misbehavior = (response) => answer(response, 400, { error: 'access_denied' });
    const refused = await ended(client, await begin(client, 'who'), 'FAILED');
    expect(JSON.stringify(refused.status.message)).toContain('does not let the caller use this agent (access_denied)');
    exchange.misbehavior = undefined;
    exchange.claims = () => ({ sub: 'admin' });
    const mixed = await ended(client, await begin(client, 'who'), 'FAILED');
    expect(JSON.stringify(mixed.status.message)).toContain('its token is for another caller');
    expect(JSON.stringify([refused, mixed])).not.toContain('eyJ');
  });

  it('are called when the authorization server is back', async () => {
    const client = caller('frank', 'acme');
    exchange.misbehavior = (response) => answer(response, 503, {});
    const task = await begin(client, 'who');
    await eventually(() => expect(exchange.seen.length).toBeGreaterThan(0), { timeoutMs: 10_000 });
    exchange.misbehavior = undefined;
    expect(whoOf(await ended(client, task))).toMatchObject({ subject: 'frank' });
  });

  it('cancel for the caller of the task, when nobody runs it', async () => {
    const client = caller('grace', 'acme');
    const task = await begin(client, 'slow 60000');
    await eventually(() => expect(exchange.seen).toHaveLength(1), { timeoutMs: 10_000 });
    const theirsOfGrace = new RpcClient(theirs.url, await ownCredential('grace'));
    const id = await eventually(async () => {
      const { result } = await theirsOfGrace.call('ListTasks', {});
      const [found] = (result as unknown as { tasks: readonly Task[] }).tasks;
      expect(found).toBeDefined();
      return found?.id;
    });
    await client.task('CancelTask', { id: task.id });
    await eventually(
      async () => {
        expect((await theirsOfGrace.task('GetTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
      },
      { timeoutMs: 10_000 },
    );
  });

  it('need callers that have a name: an open service does not start with one', async () => {
    const { AGENTS_FILE = '', EGRESS_ALLOW = '' } = variables;
    await expect(runApp({ AGENTS_FILE, EGRESS_ALLOW }, { skills: [AskSkill] })).rejects.toThrow(
      /AGENTS_FILE: finance: auth.type token-exchange names the user of a call.*set JWT_ISSUER/,
    );
  });
});

describe(checkExchanges.name, () => {
  it('asks whether the authorization server knows the client', async () => {
    const [known] = await checkExchanges(loadConfig(variables));
    expect(known).toMatchObject({ severity: 'ok', text: `finance: ${exchange.tokenUrl} takes requests of parley` });
    exchange.clients = {};
    const [unknown] = await checkExchanges(loadConfig(variables));
    expect(unknown).toMatchObject({ severity: 'fail', text: expect.stringContaining('invalid_client') });
  });
});

/** What the authorization server gives for a caller. */
async function ownCredential(sub: string): Promise<Record<string, string>> {
  const subject = { sub, tenant: 'acme', act: { sub: 'webapp' } };
  const form = { audience: 'finance', client_id: 'parley', scope: SCOPES };
  const { access_token: token } = (await exchange.issued({ form, subject })) as { access_token: string };
  return { authorization: `Bearer ${token}` };
}
