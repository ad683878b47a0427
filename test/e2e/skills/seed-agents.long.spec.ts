import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import type { Task } from '@parley/protocol/model/task.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { useServices } from '../../kit/app/started-services.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { eventually } from '../../kit/run/eventually.js';
import { OpenAiStub, type StubAnswer, type StubRequest } from '../../kit/stubs/openai-stub.js';

const TIMEOUT_MS = 180_000;
const DOCS = new URL('../../contract/skill/docs/', import.meta.url);
/** A pack finds the SDK from its own folder. */
const MODULES = new URL('../../../node_modules/', import.meta.url).pathname;

let folder: string;

const start = useServices();

/** The instruction of a request, by its first word: the agents of the seed have different ones. */
const agentOf = ({ body: { messages } }: StubRequest): string => messages[0]?.content.split(' ')[0] ?? '';

/** What a model does for the seed: the orchestrator calls both agents in turn, and then answers. */
function answerTo({ body: { messages } }: StubRequest): StubAnswer {
  const [head] = messages;
  if (head?.content.startsWith('Find') === true) return { text: 'The moon pulls.' };
  if (head?.content.startsWith('Write') === true) return { text: 'A report of the moon.' };
  const results = messages.filter(({ role }) => role === 'tool').length;
  if (results === 0) return { tool: 'researcher', given: { text: 'tides' } };
  return results === 1 ? { tool: 'writer', given: { text: 'The moon pulls.' } } : { text: 'Here is your report.' };
}

const ROUNDS = ['Let', 'Find', 'Let', 'Write', 'Let'];

describe('the report desk of seed 002 § 2.1 in the built service', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(MODULES, '.parley-seed-'));
    const source = await readFile(new URL('report-desk.agent.ts', DOCS), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    await writeFile(join(folder, 'package.json'), '{"type":"module","version":"1.0.0"}');
    await writeFile(join(folder, 'report-desk.agent.js'), outputText);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([0, 1, 2, 3, 4])(
    'pays no stored round again when it is killed while round %i is asked (LLM-02, LLM-43, SEED 002 § 2.1)',
    async (killed) => {
      const victim: { kill?: () => void } = {};
      const stub = await OpenAiStub.start(async (request) => {
        const isNow = stub.requests.length === killed + 1;
        if (isNow) victim.kill?.();
        // The process that asked is gone before the answer.
        return answerTo(request);
      });
      const variables = {
        ...{ SKILLS: folder, MODEL_URL: stub.url, MODEL_NAME: 'stub' },
        ...{ REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` },
      };
      const first = start(variables);
      const client = new RpcClient(await first.ready());
      victim.kill = () => first.child.kill('SIGKILL');
      const { id } = await client.task('SendMessage', {
        ...aMessage('Report on tides', { skillId: 'report_orchestrator' }),
        configuration: { returnImmediately: true },
      });
      await first.exited;
      const second = new RpcClient(await start(variables).ready());
      const task = await eventually<Task>(
        async () => {
          const found = await second.task('GetTask', { id });
          expect(isTerminal(found.status.state)).toBe(true);
          return found;
        },
        { timeoutMs: 90_000, intervalMs: 250 },
      );
      const asked = stub.requests.map(agentOf);
      await stub.close();
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(
        task.artifacts?.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join('')),
      ).toEqual(['Here is your report.']);
      // Only the round that was under way is asked again.
      expect(asked).toEqual([...ROUNDS.slice(0, killed + 1), ...ROUNDS.slice(killed)]);
    },
    TIMEOUT_MS,
  );
});
