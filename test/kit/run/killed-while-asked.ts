import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { expect } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import type { ServiceProcess } from '../app/service-process.mjs';
import { aMessage, RpcClient } from '../callers/rpc-client.js';
import { testRedisUrl } from '../redis/shared-redis.js';
import { OpenAiStub, type StubAnswer, type StubRequest } from '../stubs/openai-stub.js';
import { eventually } from './eventually.js';

/** A pack finds the SDK from its own folder. */
const MODULES = new URL('../../../node_modules/', import.meta.url).pathname;

/** Compiles a file as a pack of its own, for SKILLS. Returns its folder. */
export async function compiledPack(file: URL): Promise<string> {
  const folder = await mkdtemp(join(MODULES, '.parley-pack-'));
  const { outputText } = ts.transpileModule(await readFile(file, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  await writeFile(join(folder, 'package.json'), '{"type":"module","version":"1.0.0"}');
  await writeFile(join(folder, 'pack.agent.js'), outputText);
  return folder;
}

/** A task whose service is killed once, while it asks its model. */
export interface KilledTask {
  readonly start: (variables: Readonly<Record<string, string>>) => ServiceProcess;
  readonly variables: Readonly<Record<string, string>>;
  readonly skillId: string;
  readonly text: string;
  /** The number of the request to the model, from 0, at which the service is killed. */
  readonly killed: number;
  readonly answer: (request: StubRequest) => StubAnswer;
}

/** Runs a task in the built service over one kill; gives its end, and what the model was asked. */
export async function killedWhileAsked(
  made: KilledTask,
): Promise<{ readonly task: Task; readonly requests: readonly StubRequest[] }> {
  const victim: { kill?: () => void } = {};
  const stub = await OpenAiStub.start(async (request) => {
    if (stub.requests.length === made.killed + 1) victim.kill?.();
    // The process that asked is gone before the answer.
    return made.answer(request);
  });
  try {
    const shared = { REDIS_URL: testRedisUrl(), KEY_PREFIX: `test-${randomUUID()}` };
    const variables = { MODEL_URL: stub.url, MODEL_NAME: 'stub', ...shared, ...made.variables };
    const first = made.start(variables);
    const client = new RpcClient(await first.ready());
    victim.kill = () => first.child.kill('SIGKILL');
    const { id } = await client.task('SendMessage', {
      ...aMessage(made.text, { skillId: made.skillId }),
      configuration: { returnImmediately: true },
    });
    await first.exited;
    const second = new RpcClient(await made.start(variables).ready());
    const task = await eventually<Task>(
      async () => {
        const found = await second.task('GetTask', { id });
        expect(isTerminal(found.status.state)).toBe(true);
        return found;
      },
      { timeoutMs: 90_000, intervalMs: 250 },
    );
    return { task, requests: stub.requests };
  } finally {
    await stub.close();
  }
}

/** The texts of the artifacts of a task. */
export function textsOf({ artifacts = [] }: Task): readonly string[] {
  return artifacts.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''));
}
