import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../kit/run/eventually.js';
import { type CommandResult, parley } from '../../../kit/app/parley-command.js';
import { inputRequired } from '@parley/sdk/skill/events.js';
import { type RunningApp, runApp } from '../../../kit/app/running-app.js';
import { SCRIPTED } from '../../../kit/skills/scripted.skill.js';

type Parsed = ReturnType<typeof JSON.parse>;

let service: RunningApp;
let folder: string;
let other: Server;

const otherHost = (): string => `127.0.0.1:${String((other.address() as AddressInfo).port)}`;

const at = (...args: readonly string[]): Promise<CommandResult> => parley([...args, '-a', service.url], { folder });

/** What the scripted skill does with a message. */
const script = (...steps: readonly object[]): readonly string[] => ['--metadata', JSON.stringify({ script: steps })];

const said = (text: string): object => ({ kind: 'artifact', artifactId: 'a', parts: [{ text }] });
const ask = inputRequired('Which one?');

/** A result of `-o json`: one document, or one a line. */
async function json(...args: readonly string[]): Promise<Parsed> {
  const { out, err } = await at(...args, '-o', 'json');
  expect(err).not.toContain('Error');
  return JSON.parse(out);
}

describe('parley for callers', () => {
  beforeAll(async () => {
    // An agent of another host: it has the card of the service.
    other = createServer((request, response) => {
      void fetch(`${service.url}${request.url ?? ''}`).then(async (card) => response.end(await card.text()));
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const registry = { REGISTRY: 'true', EGRESS_ALLOW: `${otherHost()}=127.0.0.1/32!http` };
    const keys = { SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}` };
    service = await runApp({ CARD_SIGNING: 'on', ...keys, ...registry }, SCRIPTED);
    folder = await mkdtemp(join(tmpdir(), 'parley-caller-'));
  });

  afterAll(async () => {
    await service.close();
    other.close();
    other.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  it('A2ACLI_CARD_GET_001, A2ACLI_CARD_GET_004: shows a card from a host, a URL or a file, and how it is signed', async () => {
    const { out, code } = await at('card', 'get');
    expect(code).toBe(0);
    expect(out).toMatch(/^Name: .+\nVersion: /);
    expect(out).toMatch(/\nInterface: JSONRPC 1\.0 http:\/\/127/);
    expect(out).toContain('\nSkill: scripted: Scripted\n');
    expect(out).toMatch(/\nSignature: (absent|unverifiable)/);
    const url = `${service.url}/.well-known/agent-card.json`;
    const byUrl = await parley(['card', 'get', url, '-o', 'json']);
    const file = join(folder, 'card.json');
    await writeFile(file, byUrl.out);
    const byFile = await parley(['card', 'get', file, '-o', 'json']);
    expect(JSON.parse(byFile.out)).toEqual(JSON.parse(byUrl.out));
    const byHost = await parley(['card', 'get', new URL(service.url).host]);
    expect(byHost.out).toBe(out);
  });

  it('says that the credential goes to another origin than that of the card (B6)', async () => {
    const words = ['send', 'hi', '--skill', 'scripted', '--bearer', 'secret'];
    const { err } = await parley([...words, '-a', `http://${otherHost()}`], { folder });
    expect(err).toContain(`the credential is sent to ${service.url}`);
    expect(err).not.toContain('secret');
    expect((await at(...words)).err).not.toContain('the credential is sent to');
  });

  it('A2ACLI_CARD_GET_002: validates a card, and names the faults of a broken one', async () => {
    expect((await at('card', 'get', '--validate')).err).toContain('Valid: ');
    const file = join(folder, 'broken.json');
    const supportedInterfaces = [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
    await writeFile(file, JSON.stringify({ name: 'x', supportedInterfaces, skills: [{ id: 's' }] }));
    const { err, code } = await parley(['card', 'get', file, '--validate']);
    expect(code).toBe(1);
    expect(err).toMatch(/^Fault: description is missing \(A2A-[A-Z]+-\d\d\)$/m);
    expect(err).toMatch(/^Fault: skills\[0\]\.name is missing \(A2A-[A-Z]+-\d\d\)$/m);
  });

  it('SEED-63, A2ACLI_SEND_001, A2ACLI_SEND_002, A2ACLI_SEND_004, A2ACLI_OUT_002: sends, waits, and renders what comes', async () => {
    const parts = [
      { text: 'one\n\ntwo \u001b[31mred' },
      { data: { a: 1 } },
      { raw: 'AAEC', filename: 'x.bin', mediaType: 'a/b' },
    ];
    const { out, code } = await at('send', 'hi', '--skill', 'scripted', ...script({ ...said(''), parts }));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Task: \S{36}\nContext: \S{36}\nState: TASK_STATE_COMPLETED\nArtifact: a\nText:\none\n \ntwo \ufffd\[31mred\n\nData:\n\{\n {2}"a": 1\n\}\n\nFile: x\.bin, a\/b, 3 bytes\n$/,
    );
    const result = await json('send', 'hi', '--skill', 'scripted', ...script(said('one')));
    expect(result).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'one' }] }] },
    });
  });

  it('A2ACLI_SEND_003, A2ACLI_OUT_003: streams a document a line, a direct answer too', async () => {
    const { out } = await at('send', 'x', '--skill', 'scripted', '--stream', '-o', 'json', ...script(said('one')));
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line) as object)[0]);
    expect([lines[0], lines.at(-1)]).toEqual(['task', 'statusUpdate']);
    expect(lines).toContain('artifactUpdate');
    const direct = await at('send', 'x', '--skill', 'direct', '--stream', '-o', 'json', ...script(said('one')));
    expect(direct).toMatchObject({ code: 0 });
    expect(JSON.parse(direct.out)).toMatchObject({ message: { parts: [{ text: 'one' }] } });
    const text = await at('send', 'x', '--skill', 'scripted', '--stream', ...script(said('one')));
    expect(text.out).toMatch(/Task: \S+\nContext: \S+\nState: TASK_STATE_COMPLETED\n$/);
  });

  it('A2ACLI_INTERACT_001, A2ACLI_INTERACT_002, A2ACLI_INTERACT_004, A2ACLI_EXIT_002: asks, is answered, goes on in its context', async () => {
    const asked = await at('send', 'x', '--skill', 'scripted', ...script(ask));
    expect(asked).toMatchObject({ code: 0, err: expect.stringContaining('TASK_STATE_INPUT_REQUIRED') });
    const [, id = '', context = ''] =
      /^Task: (\S+)\nContext: (\S+)\nState: TASK_STATE_INPUT_REQUIRED\n/.exec(asked.out) ?? [];
    expect(asked.out).toContain(`\nResume: parley send --agent-card ${service.url} --task-id ${id} "<reply>"\n`);
    const answered = await json('send', 'that one', '--task-id', id, ...script(said('done')));
    expect(answered).toMatchObject({ task: { id, contextId: context, status: { state: 'TASK_STATE_COMPLETED' } } });
    const next = await json('send', 'more', '--context-id', context, '--skill', 'scripted');
    expect(next.task.contextId).toBe(context);
    expect(next.task.id).not.toBe(id);
    const rejected = await at('send', 'x', '--task-id', id, '--context-id', 'another', '-o', 'json');
    expect(rejected.code).toBe(1);
    expect(JSON.parse(rejected.out)).toMatchObject({
      error: { code: expect.stringMatching(/Error$/), hint: expect.stringContaining('--debug') },
    });
  });

  it('O-64: answers by the form of a question: with fields, with a text, or field by field at the prompt', async () => {
    const schema = {
      ...{ type: 'object', required: ['decision'] },
      properties: { decision: { enum: ['approve', 'reject'] }, count: { type: 'integer' } },
    };
    const form = inputRequired([{ text: 'Pay?' }, { data: { form: { schema } } }]);
    const asked = async (): Promise<string> =>
      (await json('send', 'x', '--skill', 'scripted', ...script(form))).task.id;
    const answers = async (id: string): Promise<unknown> =>
      (await json('task', 'get', id, '--history', '5')).history.at(-1).parts;

    const byField = await asked();
    const { code, out } = await at('task', 'answer', byField, '--field', 'decision=approve', '--field', 'count=3');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('TASK_STATE_COMPLETED') });
    expect(await answers(byField)).toEqual([{ data: { decision: 'approve', count: 3 } }]);
    expect(await at('task', 'answer', byField, 'again')).toMatchObject({ code: 1 });

    const byPrompt = await asked();
    const input = 'perhaps\n\nreject\n\n';
    const typed = await parley(['task', 'answer', byPrompt, '-a', service.url], { folder, input, isTerminal: true });
    expect(typed.err).toContain('Pay?\ndecision (approve | reject):\n');
    expect(typed.err).toContain('decision must be one of approve, reject\n');
    expect(await answers(byPrompt)).toEqual([{ data: { decision: 'reject' } }]);

    const byText = await asked();
    expect(await at('task', 'answer', byText)).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('--field decision=<approve | reject>') },
    });
    await at('task', 'answer', byText, 'yes', 'please');
    expect(await answers(byText)).toEqual([{ text: 'yes please' }]);
  });

  it('A2ACLI_EXIT_002: a task that fails is no failure of the command', async () => {
    const failed = await at('send', 'x', '--skill', 'scripted', ...script({ kind: 'fail', text: 'no luck' }));
    expect(failed).toMatchObject({ code: 0, err: 'Warning: the task ended as TASK_STATE_FAILED\n' });
    expect(failed.out).toContain('State: TASK_STATE_FAILED\nStatus:\nno luck\n');
  });

  it('A2ACLI_OUT_006, A2ACLI_TASK_GET_001, A2ACLI_TASK_POLL_001 … a task is begun, looked at, waited for', async () => {
    const begun = await json(
      'send',
      'x',
      '--async',
      '--skill',
      'scripted',
      ...script({ kind: 'wait', ms: 300 }, said('late')),
    );
    const { id, contextId } = begun.task;
    expect(contextId).toMatch(/\S/);
    expect(await json('task', 'get', id)).toMatchObject({ id, contextId });
    const waited = await json('task', 'get', id, '--wait', '--poll-interval', '50ms');
    expect(waited).toMatchObject({
      id,
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'late' }] }],
    });
    const shown = await json('task', 'get', id, '--history', '1');
    expect(shown.history).toHaveLength(1);
  });

  it('A2ACLI_TASK_POLL_002: gives up at its timeout, and names the task', async () => {
    const { code, out } = await at(
      'send',
      'x',
      '--skill',
      'scripted',
      '--timeout',
      '200ms',
      '-o',
      'json',
      ...script({ kind: 'wait', ms: 60_000 }),
    );
    expect(code).toBe(5);
    const { error } = JSON.parse(out) as { error: { code: string; hint: string } };
    expect(error.code).toBe('A2ACLI_ERR_TIMEOUT');
    const id = /task get --wait (\S+)/.exec(error.hint)?.[1] ?? '';
    expect(await json('task', 'cancel', id)).toMatchObject({ id });
  });

  it('A2ACLI_TASK_CANCEL_001: cancels a task, and reports one that cannot be canceled by its name', async () => {
    const { task } = await json('send', 'x', '--async', '--skill', 'scripted', ...script({ kind: 'wait', ms: 60_000 }));
    expect(await json('task', 'cancel', task.id)).toMatchObject({
      id: task.id,
      status: { state: 'TASK_STATE_CANCELED' },
    });
    const again = await at('task', 'cancel', task.id, '-o', 'json');
    expect(again.code).toBe(1);
    expect(JSON.parse(again.out)).toMatchObject({ error: { code: 'TaskNotCancelableError', a2aCode: -32002 } });
  });

  it('A2ACLI_TASK_LIST_001: lists tasks by state and context, a page at a time', async () => {
    const { task } = await json('send', 'x', '--skill', 'scripted');
    await json('send', 'x', '--skill', 'scripted', '--context-id', task.contextId);
    const query = ['task', 'list', '--context-id', task.contextId, '--status', 'completed', '--page-size', '1'];
    const page = await json(...query);
    expect(page).toMatchObject({
      tasks: [{ contextId: task.contextId }],
      totalSize: 2,
      nextPageToken: expect.stringMatching(/./),
    });
    const rest = await json(...query, '--page-token', page.nextPageToken);
    expect(rest.tasks[0].id).not.toBe(page.tasks[0].id);
    expect((await at(...query)).out).toMatch(
      /^Task: \S+\nContext: \S+\nState: TASK_STATE_COMPLETED\nTotal: 2\nNext: --page-token /,
    );
    expect(await at('task', 'list', '--status', 'happy')).toMatchObject({ code: 2 });
  });

  it('A2ACLI_TASK_SUBSCRIBE_001: follows a task to its end', async () => {
    const { task } = await json(
      'send',
      'x',
      '--async',
      '--skill',
      'scripted',
      ...script({ kind: 'wait', ms: 200 }, said('late')),
    );
    const { out } = await at('task', 'subscribe', task.id, '--stream', '-o', 'json');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ task: { id: task.id } });
    expect(lines.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(await json('task', 'subscribe', task.id)).toMatchObject({
      id: task.id,
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  it('A2ACLI_DOWNLOAD_001: saves artifacts under names that stay in their folder', async () => {
    const parts = [{ text: 'hello' }, { raw: 'AAEC', filename: '../../evil.bin' }];
    const { task } = await json('send', 'x', '--skill', 'scripted', ...script({ ...said(''), artifactId: 'r', parts }));
    const dir = join(folder, 'saved');
    const { files } = await json('task', 'download', task.id, '--dir', dir);
    expect(files).toEqual([
      { artifactId: 'r', path: join(dir, 'r.txt'), bytes: 5 },
      { artifactId: 'r', path: join(dir, 'evil.bin'), bytes: 3 },
    ]);
    expect(await readFile(join(dir, 'r.txt'), 'utf8')).toBe('hello');
  });

  it('A2ACLI_PUSH_001, A2ACLI_VER_003: manages the webhooks of a task, of an agent that has them', async () => {
    const { task } = await json('send', 'x', '--async', '--skill', 'scripted', ...script({ kind: 'wait', ms: 60_000 }));
    const made = await json('task', 'push-config', 'create', task.id, 'https://hooks.example/x', '--token', 't');
    const id = made.id as string;
    expect(await json('task', 'push-config', 'get', task.id, id)).toMatchObject({ id, url: 'https://hooks.example/x' });
    expect(await json('task', 'push-config', 'list', task.id)).toMatchObject({ configs: [{ id }] });
    expect(await at('task', 'push-config', 'delete', task.id, id)).toMatchObject({ code: 0, out: `Deleted: ${id}\n` });
    expect(await json('task', 'push-config', 'list', task.id)).toMatchObject({ configs: [] });
    await at('task', 'cancel', task.id);
    const file = join(folder, 'card-without.json');
    const { out } = await at('card', 'get', '-o', 'json');
    await writeFile(file, JSON.stringify({ ...JSON.parse(out), capabilities: {} }));
    const without = await parley(['task', 'push-config', 'list', task.id, '-a', file, '-o', 'json']);
    expect(JSON.parse(without.out)).toMatchObject({ error: { code: 'PushNotificationNotSupportedError' } });
  });

  it('O-53: subscribes webhooks to published events, lists and removes them', async () => {
    const create = ['webhook', 'events', 'create', 'https://hooks.example/x', '--type', 'invoice.*'] as const;
    const made = await json(...create, '--type', 'payment.done', '--token', 't', '--of-tenant');
    expect(made).toMatchObject({ types: ['invoice.*', 'payment.done'], of: 'tenant', origin: 'https://hooks.example' });
    const own = await at(...create);
    expect(own).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Webhook: \S+\nReceiver: https:\/\/hooks.example\n/),
    });
    expect(own.out).toContain('\nEvents: invoice.*\nOf: your tasks\nOutstanding: 0\n');
    expect(await json('webhook', 'events', 'list')).toMatchObject({
      webhooks: [expect.any(Object), expect.any(Object)],
    });
    expect(await at('webhook', 'events', 'delete', made.id)).toMatchObject({ code: 0, out: `Deleted: ${made.id}\n` });
    expect((await at('webhook', 'events', 'list')).out).toBe(own.out);
    const refused = await at('webhook', 'events', 'create', 'https://hooks.example/x', '--type', 'a b');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('The agent answered 400') });
    expect(await at('webhook', 'events', 'create', 'https://hooks.example/x')).toMatchObject({ code: 2 });
  });

  it('A2ACLI_TX_001, A2ACLI_TX_002, A2ACLI_TX_004: speaks the binding that the card or its user prefers, with the same result', async () => {
    const run = async (...more: readonly string[]) =>
      at('send', 'x', '--skill', 'scripted', '--debug', ...more, ...script(said('same')));
    const [first, rest, skipped] = [
      await run(),
      await run('--transport', 'http+json'),
      await run('--transport', 'grpc', '--transport', 'rest'),
    ];
    expect(first.err).toContain('* JSONRPC of A2A 1.0 at ');
    for (const { err } of [rest, skipped]) expect(err).toContain('* HTTP+JSON of A2A 1.0 at ');
    const shape = ({ out }: CommandResult): string => out.replaceAll(/\S{36}/g, 'id');
    expect(shape(rest)).toBe(shape(first));
    const older = await run('--a2a-version', '0.3');
    expect(older.err).toContain('* JSONRPC of A2A 0.3 at ');
    expect(shape(older)).toBe(shape(first));
    expect(await run('--a2a-version', '7.0')).toMatchObject({ code: 1 });
  });

  it('A2ACLI_OUT_007, A2ACLI_OUT_001, A2ACLI_INTERACT_003: shows the exchange on stderr, the result alone on stdout, and makes up no ids', async () => {
    const { out, err } = await at('send', 'x', '--skill', 'scripted', '--debug', '--bearer', 'CANARY', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ task: {} });
    expect(err).toContain('> a2a-version: 1.0');
    expect(err).not.toContain('CANARY');
    expect(err).not.toMatch(/^> .*"(taskId|contextId)"/m);
  });

  it('A2ACLI_EXIT_001, A2ACLI_OUT_004: exits by what went wrong, and says it as a document', async () => {
    const cases: readonly [readonly string[], number, string][] = [
      [['send', 'x', '-a', 'http://127.0.0.1:1'], 3, 'A2ACLI_ERR_UNREACHABLE'],
      [['send', 'x', '-a', `${service.url}/nothing/card.json`], 3, 'A2ACLI_ERR_CARD_NOT_FOUND'],
      [['send', 'x', '-a', join(folder, 'no.json')], 3, 'A2ACLI_ERR_CARD_NOT_FOUND'],
      [['card', 'get', `${service.url}/health/live?x=.json`], 1, 'A2ACLI_ERR_CARD_INVALID'],
      [['send', 'x'], 2, 'A2ACLI_ERR_USAGE'],
      [['send', '--nonsense', '-a', service.url], 2, 'A2ACLI_ERR_USAGE'],
      [['task', 'get', 'no-such-task', '-a', service.url], 1, 'TaskNotFoundError'],
    ];
    for (const [args, code, name] of cases) {
      const result = await parley([...args, '-o', 'json'], { folder });
      expect([args, result.code, JSON.parse(result.out)]).toEqual([
        args,
        code,
        { error: expect.objectContaining({ code: name }) },
      ]);
    }
  });

  it('A2ACLI_CONFIG_002, A2ACLI_DEFAULT_001: takes settings from flags, variables, files and defaults, in this order', async () => {
    await writeFile(join(folder, '.env'), 'A2ACLI_OUTPUT=json\nA2ACLI_TIMEOUT=7s\nA2ACLI_BEARER=CANARY\n');
    await writeFile(join(folder, 'other.env'), 'A2ACLI_TIMEOUT=8s\n');
    const surroundings = {
      folder: join(folder, 'below'),
      home: folder,
      variables: { A2ACLI_TIMEOUT: '9s', A2ACLI_AGENT_CARD: 'a.example' },
    };
    const shown = JSON.parse((await parley(['config', 'show'], surroundings)).out) as Record<string, unknown>;
    expect(shown).toMatchObject({
      'agent-card': { value: 'a.example', source: 'environment' },
      bearer: { value: '***', source: join(folder, '.env') },
      output: { value: 'json', source: join(folder, '.env') },
      timeout: { value: '9s', source: 'environment' },
      'poll-interval': { value: '2s', source: 'default' },
    });
    const flagged = await parley(['config', 'show', '-o', 'text', '--config', join(folder, 'other.env')], { folder });
    expect(flagged.out).toContain('output: text (flag)\n');
    expect(flagged.out).toContain(`timeout: 8s (${join(folder, 'other.env')})\n`);
    await rm(join(folder, '.env'));
  });

  it('A2ACLI_CLI_001, A2ACLI_CLI_002: prints help with the defaults, its version, and completions of every command', async () => {
    expect(await parley(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    const help = await parley(['send', '--help']);
    expect(help).toMatchObject({ code: 0 });
    expect(help.out).toMatch(/text or json \(default: text\)/);
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out } = await parley(['completion', shell]);
      expect(out).toMatch(/push-config/);
      expect(out).toContain('--task-id');
    }
    expect(await parley(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  });

  it('A2ACLI_CHAT_001, A2ACLI_AUTH_011, A2ACLI_OUT_005: talks line by line, and carries context and open task on', async () => {
    const waits = script(inputRequired('Which?'))[1] ?? '';
    await writeFile(join(folder, 'chat.env'), `A2ACLI_METADATA='${waits}'\n`);
    const lines = ['one', '/task', 'two', '/new', '/task', '/nonsense', '/quit', 'never sent'].join('\n');
    const args = ['chat', '-a', service.url, '--skill', 'scripted', '--context-id', 'no-such-context'];
    const refused = await parley(args, { folder, input: 'x' });
    expect(refused.code).toBe(0);
    const { out, err } = await parley(args.slice(0, 5), { folder, input: lines });
    const ids = [...out.matchAll(/^Task: (\S+)\nContext: (\S+)$/gm)].map(([, , context]) => context);
    expect(new Set(ids).size).toBe(1);
    expect(err).toContain('No task is open');
    expect(out).not.toContain('never sent');
  });

  it('O-65, SEED-01, A2ACLI_CARD_GET_005: proposes, approves and finds an agent in the registry, and talks to it by its identifier', async () => {
    const at = (...args: readonly string[]) =>
      parley(['registry', ...args, '--registry', `${service.url}/registry`, '-o', 'json'], { folder });
    const { entry } = JSON.parse((await at('register', `http://${otherHost()}`)).out);
    expect(entry).toMatchObject({ state: 'proposed', owner: 'local', proof: { kind: 'well-known' } });
    const { identifier, hash } = entry;
    expect(JSON.parse((await at('search', 'scripted')).out)).toEqual({ results: [] });
    const printed = { out: '', err: '' };
    const args = ['registry', 'events', '--registry', `${service.url}/registry`, '-o', 'json', '--count', '3'];
    const following = parley(args, { folder, printed });
    await eventually(() => {
      expect(printed.out).toContain('"change":"reset"');
    });
    expect(await at('approve', identifier, '--hash', '0'.repeat(64))).toMatchObject({ code: 1 });
    expect(JSON.parse((await at('approve', identifier, '--hash', hash)).out).entry.state).toBe('approved');
    const { results } = JSON.parse((await at('search', 'scripted')).out);
    expect(results).toMatchObject([{ identifier, score: 100, source: `${service.url}/registry` }]);
    const listed = JSON.parse((await at('search', '--skill', 'scripted', '--filter', 'binding=JSONRPC')).out);
    expect(listed).toMatchObject({ items: [{ identifier }], total: 1 });
    expect(JSON.parse((await at('search', '--tag', 'no such')).out)).toEqual({ items: [], total: 0 });
    const registry = { A2ACLI_REGISTRY: `${service.url}/registry` };
    const words = ['hi', '--skill', 'scripted', ...script(said('found'))];
    const sent = await parley(['send', '-a', identifier, ...words], { folder, variables: registry });
    expect(sent.out).toContain('found');
    expect((await parley(['registry', 'log', '--verify'], { folder, variables: registry })).out).toMatch(/^Whole: 2 /);
    const facets = { resultType: { facets: [{ field: 'capabilities' }] } };
    const explored = await fetch(`${service.url}/registry/explore`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(facets) },
    });
    expect(await explored.json()).toMatchObject({
      facets: { capabilities: { buckets: expect.arrayContaining([{ value: 'scripted', count: 1 }]) } },
    });
    await eventually(() => {
      expect(printed.out).toContain('"change":"listed"');
    });
    expect((await at('retire', identifier, '--reason', 'test')).out).toBe('{}\n');
    expect((await following).code).toBe(0);
    const news = printed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(news).toMatchObject([{ change: 'reset' }, { change: 'listed', identifier }, { change: 'gone', identifier }]);
    const after = ['--after', news[1].id, '--count', '1'];
    const late = await parley(['registry', 'events', '--registry', `${service.url}/registry`, ...after], { folder });
    expect(late.out).toBe(`gone: ${news[2].at} ${identifier}\n`);
    expect(await at('events', '--count', '0')).toMatchObject({ code: 2 });
    expect(await at('get', identifier)).toMatchObject({ code: 1 });
  });

  it.each([
    ['an unknown identifier', 'urn:air:no.example:agent:x', 404, 'NOT_FOUND'],
    ['a malformed one', 'not-a-valid-urn', 400, 'INVALID_ARGUMENT'],
  ])('answers a look-up of %s in the registry as ARD has it', async (_what, identifier, status, errorCode) => {
    const answer = await fetch(`${service.url}/registry/agents/${encodeURIComponent(identifier)}`);
    expect([answer.status, await answer.json()]).toMatchObject([status, { errorCode }]);
  });

  it('A2ACLI_INTERACT_005, A2ACLI_CONFIG_001: leaves nothing behind', async () => {
    const home = await mkdtemp(join(tmpdir(), 'parley-home-'));
    await parley(['send', 'x', '--skill', 'scripted', '-a', service.url], { folder: home, home });
    await expect(stat(join(home, '.config'))).rejects.toThrow('ENOENT');
    await rm(home, { recursive: true });
  });
});
