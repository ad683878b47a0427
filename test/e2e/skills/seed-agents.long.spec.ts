import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTEROP_SERVERS } from '../../../scripts/interop/servers.js';
import { useServices } from '../../kit/app/started-services.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { compiledPack, killedWhileAsked, textsOf } from '../../kit/run/killed-while-asked.js';
import type { StubAnswer, StubRequest } from '../../kit/stubs/openai-stub.js';

const TIMEOUT_MS = 240_000;
const DOCS = new URL('../../contract/skill/docs/', import.meta.url);

const start = useServices();

describe('the report desk of seed 002 § 2.1 in the built service', () => {
  /** What a model does for the seed: the orchestrator calls both agents in turn, and then answers. */
  const answer = ({ body: { messages } }: StubRequest): StubAnswer => {
    const [head] = messages;
    if (head?.content.startsWith('Find') === true) return { text: 'The moon pulls.' };
    if (head?.content.startsWith('Write') === true) return { text: 'A report of the moon.' };
    const results = messages.filter(({ role }) => role === 'tool').length;
    if (results === 0) return { tool: 'researcher', given: { text: 'tides' } };
    return results === 1 ? { tool: 'writer', given: { text: 'The moon pulls.' } } : { text: 'Here is your report.' };
  };
  const ROUNDS = ['Let', 'Find', 'Let', 'Write', 'Let'];
  let folder: string;

  beforeAll(async () => {
    folder = await compiledPack(new URL('report-desk.agent.ts', DOCS));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([0, 1, 2, 3, 4])(
    'pays no stored round again when it is killed while round %i is asked (LLM-02, LLM-43, SEED 002 § 2.1)',
    async (killed) => {
      const given = { start, variables: { SKILLS: folder }, skillId: 'report_orchestrator', text: 'Report on tides' };
      const { task, requests } = await killedWhileAsked({ ...given, killed, answer });
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(textsOf(task)).toEqual(['Here is your report.']);
      // Only the round that was under way is asked again.
      const asked = requests.map(({ body: { messages } }) => messages[0]?.content.split(' ')[0]);
      expect(asked).toEqual([...ROUNDS.slice(0, killed + 1), ...ROUNDS.slice(killed)]);
    },
    TIMEOUT_MS,
  );
});

describe('the remote agent of seed 002 § 8.2, of the official SDK of Python', () => {
  let folder: string;
  let cache: string;
  let variables: Record<string, string>;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    folder = await compiledPack(new URL('invoice-desk.agent.ts', DOCS));
    cache = await mkdtemp(join(tmpdir(), 'parley-python-'));
    const server = INTEROP_SERVERS.find(({ name }) => name.startsWith('Python server a2a-sdk 1.'));
    const open = await server?.prepare({ cache, python: 'python3' });
    if (open === undefined) throw new Error('There is no server of the Python SDK');
    const theirs = await open();
    ({ stop } = theirs);
    const file = join(cache, 'agents.json');
    await writeFile(file, JSON.stringify({ invoices: { card: theirs.url, skill: 'echo' } }));
    const allow = `${new URL(theirs.url).host}=127.0.0.1/32!http`;
    variables = { SKILLS: folder, AGENTS_FILE: file, EGRESS_ALLOW: allow };
  }, TIMEOUT_MS);

  afterAll(async () => {
    await stop();
    for (const one of [folder, cache]) await rm(one, { recursive: true, force: true });
  });

  const answer = ({ body: { messages } }: StubRequest): StubAnswer => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `They say: ${last.content}` };
    return { tool: 'query_invoices', given: { text: 'Is 4711 paid?' } };
  };

  it.each([0, 1])(
    'is a tool of a model, and is asked once over a kill while round %i is asked (LLM-02, LLM-06, SEED 002 § 8.2)',
    async (killed) => {
      const given = { start, variables, skillId: 'invoice_desk', text: 'Is 4711 paid?' };
      const { task, requests } = await killedWhileAsked({ ...given, killed, answer });
      expect(textsOf(task)).toEqual(['They say: Is 4711 paid?']);
      expect(requests).toHaveLength(3);
    },
    TIMEOUT_MS,
  );

  it(
    'is a step of a flow (S1, SEED 002 § 8.2)',
    async () => {
      const client = new RpcClient(await start(variables).ready());
      const task = await client.task('SendMessage', aMessage('Is 4711 paid?', { skillId: 'invoice_step' }));
      expect(textsOf(task)).toEqual(['Is 4711 paid?']);
    },
    TIMEOUT_MS,
  );
});
