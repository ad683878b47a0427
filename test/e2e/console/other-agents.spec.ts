import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { exportJWK, FlattenedSign, generateKeyPair } from 'jose';
import type { CallFrame } from '../../../src/admin/playground/agent-call.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { definitionIn } from '../../../src/remote-agents/directory/exposed-skill.js';
import { signedForm } from '@parley/protocol/card/signed-form.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { AgentStub } from '../../kit/stubs/agent-stub.js';
import { BadAgents, endless, json, taskAnswer } from '../../kit/stubs/bad-agent.js';
import { eventually } from '../../kit/run/eventually.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';

const ALICE = 'alice.secret-of-alice';
const BOB = 'bob.secret-of-bob';
const EVE = 'eve.secret-of-eve';
const ROOM = 'room.secret-of-one-that-fills-the-room';

const sse = (data: object): string => `id: 7\ndata: ${JSON.stringify(data)}\n\n`;

describe('other agents, tried from the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tried-'));
  const auditFile = join(folder, 'audit.log');
  const stub = new AgentStub();
  const cards: Record<string, object> = {
    elsewhere: {
      supportedInterfaces: [{ url: 'https://evil.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    },
  };
  const agents = new BadAgents(
    {
      tasks: (response, call) => taskAnswer(response, { ...call, taskId: call.taskId }),
      listed: (response, call) => taskAnswer(response, call),
      endless: (response) => endless(response, 'text/event-stream', ': nothing\n\n'.repeat(1_000)),
      line: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: ${'x'.repeat(10 * 1_048_576)}\n\n`);
      },
      redirect: (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      slow: () => undefined,
      wrong: (response) => json(response, { jsonrpc: '2.0', id: 'other', result: {} }),
      stream: (response, { id }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'secret=1' });
        const status = (state: string) => ({ taskId: 't', contextId: 'c', status: { state } });
        response.write(sse({ jsonrpc: '2.0', id, result: { statusUpdate: status('TASK_STATE_WORKING') } }));
        response.end(sse({ jsonrpc: '2.0', id, result: { statusUpdate: status('TASK_STATE_COMPLETED') } }));
      },
    },
    cards,
  );
  let running: RunningApp;

  beforeAll(async () => {
    await Promise.all([stub.start(), agents.listen()]);
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
    const plain = await (await fetch(`${agents.url}/listed/.well-known/agent-card.json`)).json();
    const signed = await new FlattenedSign(Buffer.from(canonicalize(signedForm(plain as never)) ?? ''))
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(privateKey);
    cards.listed = { signatures: [{ protected: signed.protected, signature: signed.signature }] };
    const shown = (await (await fetch(`${stub.url}/.well-known/agent-card.json`)).json()) as AgentCard;
    const file = join(folder, 'agents.json');
    writeFileSync(
      file,
      JSON.stringify({
        listed: { card: `${agents.url}/listed`, auth: { type: 'bearer', token: 'of-the-file' }, keys: { keys: [jwk] } },
        hidden: { card: `${agents.url}/tasks` },
        shown: {
          card: stub.url,
          expose: {
            hear: { as: 'stub_hear', definition: definitionIn(shown, 'hear'), scopes: ['finance'] },
            other: { as: 'stub_other', definition: definitionIn(shown, 'hear') },
            kept: { as: 'stub_kept', definition: definitionIn(shown, 'hear') },
          },
        },
      }),
    );
    const policy = join(folder, 'policy.json');
    writeFileSync(
      policy,
      JSON.stringify({
        intents: [{ name: 'nobody', intents: ['remote:hidden', 'stub_kept'], allow: ['agent://nobody'] }],
      }),
    );
    const scopes = 'a2a:agents.try,a2a:registry.read,a2a:registry.register,a2a:registry.curate';
    running = await runApp(
      {
        AUDIT_LOG: auditFile,
        AGENTS_FILE: file,
        POLICY_FILE: policy,
        REGISTRY: 'true',
        CONSOLE: 'on',
        SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
        EGRESS_ALLOW: [stub.host, new URL(agents.url).host].map((host) => `${host}=127.0.0.1/32!http`).join(';'),
        API_KEYS: [
          ...[ALICE, BOB, ROOM].map((key) => apiKeyEntry(key, { tenant: 'acme', scopes })),
          apiKeyEntry(EVE, { tenant: 'acme', scopes: 'a2a:agents.try' }),
        ].join('\n'),
      },
      SCRIPTED,
    );
  });
  afterAll(async () => {
    await running.close();
    await Promise.all([stub.stop(), agents.close()]);
    rmSync(folder, { recursive: true });
  });

  const post = (path: string, body: object, key = ALICE, signal?: AbortSignal): Promise<Response> =>
    fetch(`${running.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const look = async (agent: string, key = ALICE) =>
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    (await post('/console/api/agents/card', { agent }, key)).json() as any;
  const message = (text = 'Hello', more: object = {}) => ({
    ...{ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
    ...more,
  });
  const framesOf = async (body: object, key = ALICE): Promise<readonly CallFrame[]> => {
    const text = await (await post('/console/api/agents/call', body, key)).text();
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as CallFrame);
  };
  const failureOf = async (agent: string, operation = 'SendStreamingMessage'): Promise<string> => {
    const last = (await framesOf({ agent, operation, message: message() })).at(-1);
    return last?.kind === 'failed' ? last.why : JSON.stringify(last);
  };

  it('reads the card of an agent at a URL, checks it, and says which interfaces answer', async () => {
    const seen = await look(stub.url);
    expect(seen).toMatchObject({
      ...{ found: true, url: `${stub.url}/.well-known/agent-card.json`, credentials: 'none' },
      findings: [
        { rule: expect.stringContaining('AUTHN'), severity: 'note', field: 'securitySchemes' },
        { rule: expect.stringContaining('CARD'), severity: 'warning', field: 'Cache-Control' },
        { rule: expect.stringContaining('CARD'), severity: 'warning', field: 'ETag' },
      ],
      signature: { outcome: 'absent' },
      interfaces: [{ url: `${stub.url}/`, reach: 'answers', word: expect.stringMatching(/^200 after \d+ ms$/) }],
      card: { name: 'Stub' },
    });
    expect(JSON.parse(seen.text)).toMatchObject({ name: 'Stub' });
    expect(await look(`${agents.url}/elsewhere`)).toMatchObject({
      interfaces: [{ reach: 'not-tried', word: 'it is at another origin than the card' }],
    });
  });

  it('reads what a skill takes, from the card or where the card says, and from no other origin', async () => {
    const contract = async (agent = stub.url, skill = 'hear'): Promise<unknown> =>
      (await post('/console/api/agents/contract', { agent, skill })).json();
    const uri = 'urn:parley:extension:skill-schema:1';
    const shown = (entry: unknown): void => {
      stub.extensions = [{ uri, params: { skills: { hear: entry } } }];
    };
    const input = { type: 'object', properties: { order: { type: 'string' } } };
    expect(await contract()).toEqual({});
    shown({ input, output: {} });
    expect(await contract()).toEqual({ input });
    expect(await contract(stub.url, 'toString')).toEqual({});
    shown({ schema: `${stub.url}/skills/hear/schema` });
    stub.documents.set('/skills/hear/schema', JSON.stringify({ id: 'hear', input }));
    expect(await contract()).toEqual({ input });
    stub.documents.set('/skills/hear/schema', JSON.stringify({ input: { description: 'x'.repeat(70_000) } }));
    expect(await contract()).toEqual({ why: 'The contract has more than 65536 bytes' });
    stub.documents.set('/skills/hear/schema', '['.repeat(1_000));
    expect(await contract()).toEqual({ why: expect.any(String) });
    for (const url of [`${agents.url}/skills/hear/schema`, 'http://169.254.169.254/latest', 'file:///etc/passwd', '']) {
      shown({ schema: url });
      expect(await contract()).toEqual({ why: 'The contract is at another origin than the card' });
    }
    for (const odd of [null, 'x', [], { input: 'x' }, { schema: {} }]) {
      shown(odd);
      expect(await contract()).toEqual({});
    }
    stub.extensions = [];
  });

  it('shows the card that people of the tenant have seen before, where it has changed', async () => {
    const agent = `${agents.url}/changing`;
    expect(await look(agent)).toEqual(expect.not.objectContaining({ before: expect.anything() }));
    cards.changing = { description: 'Does more.' };
    const before = { text: expect.stringContaining('Breaks the protocol.'), at: expect.any(String) };
    expect(await look(agent, BOB)).toMatchObject({ text: expect.stringContaining('Does more.'), before });
    expect(await look(agent)).toMatchObject({ before });
    cards.changing = {
      description: 'x'.repeat(15_000),
      skills: Array.from({ length: 5 }, (_unused, at) => ({
        id: String(at),
        name: 'x',
        description: 'x'.repeat(15_000),
        tags: [],
      })),
    };
    expect(await look(agent)).toEqual(expect.not.objectContaining({ before: expect.anything() }));
  });

  it('calls an agent at a URL without any credential, and tells what went over the wire', async () => {
    const frames = await framesOf({ agent: stub.url, operation: 'SendMessage', message: message('Hello') });
    expect(frames.map(({ kind }) => kind)).toEqual(['sent', 'answered', 'text', 'result', 'ended']);
    expect(frames[0]).toMatchObject({ method: 'POST', url: `${stub.url}/`, body: expect.stringContaining('Hello') });
    expect(frames[3]).toMatchObject({ result: { message: { parts: [{ text: 'heard' }] } } });
    const [{ headers } = { headers: {} }] = stub.requests;
    expect(JSON.stringify(headers)).not.toMatch(/secret|x-api-key|authorization|cookie/i);
    const line = readFileSync(auditFile, 'utf8')
      .split('\n')
      .find((text) => text.includes('"agent.call"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ client: 'alice', agent: `${stub.url}/`, result: 'done' });
  });

  it('tells a stream event by event with its ids, and hides what headers may give away', async () => {
    const agent = `${agents.url}/stream`;
    const frames = await framesOf({ agent, operation: 'SendStreamingMessage', message: message() });
    expect(frames.flatMap((frame) => (frame.kind === 'result' ? [frame.id] : []))).toEqual(['7', '7']);
    expect(frames.find(({ kind }) => kind === 'answered')).toMatchObject({ headers: { 'set-cookie': '***' } });
    expect(frames.at(-1)).toEqual({ kind: 'ended' });
  });

  it('bounds what a hostile agent sends, and says why it has ended the call', async () => {
    expect(await failureOf(`${agents.url}/endless`)).toMatch(
      /has sent more than 8388608 characters: the call was ended/,
    );
    expect(await failureOf(`${agents.url}/line`)).toMatch(/A line of the stream has more than 1048576 bytes/);
    expect(await failureOf(`${agents.url}/redirect`)).toBe('The agent answered 302: redirects are not followed');
    expect(await failureOf(`${agents.url}/wrong`, 'SendMessage')).toMatch(/has the id of another call/);
    expect(await failureOf(`${agents.url}/elsewhere`)).toMatch(/The card has no interface/);
    expect(await failureOf('https://127.0.0.1')).toMatch(/may not call the agent's address/);
    expect(await look('http://169.254.169.254/card.json')).toMatchObject({ found: false });
    await eventually(() => {
      expect(agents.open).toBe(0);
    });
  });

  it('cuts the call to an agent that does not answer when its person goes, and has room for four of one person', async () => {
    const body = { agent: `${agents.url}/slow`, operation: 'SendMessage', message: message() };
    const end = new AbortController();
    const calls = Array.from({ length: 4 }, () => post('/console/api/agents/call', body, ROOM, end.signal));
    const opened = await Promise.all(calls);
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await eventually(() => {
      expect(agents.open).toBe(4);
    });
    expect((await post('/console/api/agents/call', body, ROOM)).status).toBe(429);
    end.abort();
    await eventually(() => {
      expect(agents.open).toBe(0);
    });
    await eventually(async () => {
      expect((await post('/console/api/agents/card', { agent: stub.url }, ROOM)).status).toBe(200);
    });
  });

  it('calls an agent of AGENTS_FILE with the credentials of that file, for whoever the policy lets', async () => {
    const { agents: names } = (await (
      await fetch(`${running.url}/console/api/agents`, { headers: { 'x-api-key': ALICE } })
    ).json()) as { agents: string[] };
    expect(names).toEqual(['listed', 'shown']);
    const refused = await post('/console/api/agents/call', { agent: 'hidden', operation: 'GetTask', taskId: 't' });
    expect(refused.status).toBe(403);
    expect(await look('listed')).toMatchObject({
      ...{ found: true, credentials: 'bearer' },
      signature: { outcome: 'verified', kid: 'k1' },
    });
    const metadata = { skillId: 'any', 'urn:trusted': 'me' };
    const frames = await framesOf({
      ...{ agent: 'listed', operation: 'SendMessage', metadata },
      message: message('Hello', { messageId: 'of-alice', metadata: { on_behalf_of: 'the king' } }),
    });
    expect(frames[0]).toMatchObject({ kind: 'sent', headers: { authorization: '***' } });
    expect(frames[0]).toMatchObject({ body: expect.not.stringMatching(/king|urn:trusted|of-alice/) });
    expect(frames.find(({ kind }) => kind === 'result')).toMatchObject({ result: { task: { id: 'theirs' } } });
    expect(agents.heard.at(-1)).toMatchObject({ path: '/listed', authorization: 'Bearer of-the-file' });
  });

  it('asks a person what `expose` and the policy ask of callers of the skill that is called (A9)', async () => {
    const status = async (metadata: object | undefined): Promise<number> => {
      const body = { agent: 'shown', operation: 'SendMessage', message: message(), ...(metadata && { metadata }) };
      const answer = await post('/console/api/agents/call', body);
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await status({ skillId: 'hear' })).toBe(403);
    expect(await status({ skillId: 'kept' })).toBe(403);
    expect(await status(undefined)).toBe(403);
    expect(await status({ skillId: 'other' })).toBe(200);
  });

  it('shows the tasks that a person has begun at such an agent to that person alone', async () => {
    const agent = 'listed';
    await framesOf({ agent, operation: 'SendMessage', message: message() });
    const ask = { agent, operation: 'GetTask', taskId: 'theirs' };
    expect((await framesOf(ask)).find(({ kind }) => kind === 'result')).toMatchObject({ result: { id: 'theirs' } });
    expect((await post('/console/api/agents/call', ask, BOB)).status).toBe(404);
    for (const others of [{ contextId: 'c' }, { taskId: 'theirs' }, { referenceTaskIds: ['theirs'] }]) {
      const body = { agent, operation: 'SendMessage', message: message('Hello', others) };
      expect([others, (await post('/console/api/agents/call', body, BOB)).status]).toEqual([others, 404]);
    }
  });

  it('calls an agent of the registry by its approved card, for whoever may read the registry', async () => {
    const proposed = await post('/registry/entries', { url: stub.url });
    const { entry } = (await proposed.json()) as { entry: { identifier: string; hash: string } };
    const { identifier, hash } = entry;
    const body = { agent: identifier, operation: 'SendMessage', message: message() };
    expect((await post('/console/api/agents/card', { agent: identifier })).status).toBe(400);
    await post(`/registry/entries/${encodeURIComponent(identifier)}/approve`, { hash });
    expect(await look(identifier)).toMatchObject({ found: true, credentials: 'none', card: { name: 'Stub' } });
    expect((await framesOf(body)).at(-2)).toMatchObject({ kind: 'result' });
    expect((await post('/console/api/agents/call', body, EVE)).status).toBe(403);
  });

  it('says what is wrong with a call before it asks anybody', async () => {
    const wrong = [
      { agent: 'nobody', operation: 'GetTask', taskId: 't' },
      { agent: stub.url, operation: 'ListTasks' },
      { agent: stub.url, operation: 'SendMessage' },
      { agent: stub.url, operation: 'GetTask' },
      { agent: stub.url, operation: 'SendMessage', message: message('Hello', { parts: [] }) },
    ];
    for (const body of wrong)
      expect([body, (await post('/console/api/agents/call', body)).status]).toEqual([body, 400]);
  });
});
