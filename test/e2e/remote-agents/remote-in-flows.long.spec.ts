import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, FlowAgent } from '@parley/sdk/agent/agent.js';
import { call } from '@parley/sdk/agent/flow/call-step.js';
import { map, parallel } from '@parley/sdk/agent/flow/parallel.js';
import { result, sequential } from '@parley/sdk/agent/flow/sequence.js';
import { from } from '@parley/sdk/agent/source.js';
import { transfer } from '@parley/sdk/agent/flow/transfer.js';
import { agent } from '@parley/sdk/model/agent.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';
import { handsTo, skill } from '@parley/sdk/model/skill-tool.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { Task } from '@parley/protocol/model/task.js';
import { definitionIn } from '../../../src/remote-agents/directory/exposed-skill.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

/** The agent of the other service. */
@Skill({ id: 'finance', name: 'Finance', description: 'Counts what a message names.', tags: ['test'] })
class FinanceSkill implements SkillHandler {
  async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    if (text === 'fail') throw new SkillFailure('no money');
    yield artifact('sum', `${text} counted`);
  }
}

const FINANCE = remote('finance');
const about = (id: string) => ({ id, name: id, description: `Asks the agent elsewhere as ${id}`, tags: ['test'] });

@Agent({ ...about('as_step'), agents: [FINANCE] })
class StepAgent extends FlowAgent {
  readonly flow = call(FINANCE, { input: from.message() });
}

@Agent(about('as_branches'))
class BranchesAgent extends FlowAgent {
  readonly flow = sequential(
    parallel({
      finance: call(FINANCE, { as: 'one', input: from.state('text') }),
      shown: call('finance_shown', { as: 'two', input: from.state('text') }),
    }),
    result('both', ({ one, two }) => `${String(one)}, ${String(two)}`),
  );
}

@Agent(about('as_items'))
class ItemsAgent extends FlowAgent {
  readonly flow = sequential(
    map({ over: from.value(['1', '2']), each: call(FINANCE, { input: from.item() }), as: 'sums' }),
    result('sums', ({ sums }) => JSON.stringify(sums)),
  );
}

@Agent(about('as_fallback'))
class FallbackAgent extends FlowAgent {
  readonly flow = call(remote('nowhere'), {
    input: from.message(),
    retry: { times: 1, backoffMs: 10, on: ['remote', 'breaker'] },
    fallback: call(FINANCE, { input: from.message() }),
  });
}

@Agent(about('as_target'))
class TransferAgent extends FlowAgent {
  readonly flow = transfer(FINANCE);
}

const ToolAgent = agent({ ...about('as_tool'), instruction: 'Have it counted.', tools: [skill(FINANCE)] });

const ModelTransferAgent = agent({
  ...about('as_transfer_of_a_model'),
  ...{ instruction: 'Have it counted.', agents: [handsTo(FINANCE)] },
});

@Agent({ ...about('as_code'), agents: [FINANCE, 'finance_shown'] })
class CodeAgent implements SkillHandler {
  async *run({ text, call: ask }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('result', (await ask(FINANCE, text)).text);
  }
}

/** A model that calls its only tool with the number 7, and then repeats its result. */
const ASKING: ModelPort = {
  name: 'asking',
  isLocal: true,
  complete: ({ messages, tools = [] }) => {
    const last = messages.at(-1);
    const toolCalls =
      last?.role === 'tool' ? [] : tools.map(({ name }) => ({ id: '1', name, arguments: { text: '7' } }));
    const text = toolCalls.length > 0 ? '' : (last?.text ?? '');
    return Promise.resolve({ text, toolCalls, usage: { input: 1, output: 1 }, finish: 'stop' });
  },
};

let theirs: RunningApp;
let ours: RunningApp;
let folder: string;
let client: RpcClient;
let file: string;
let variables: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-remote-flows-'));
  theirs = await runApp({}, { skills: [FinanceSkill] });
  const card = (await (await fetch(`${theirs.url}/.well-known/agent-card.json`)).json()) as AgentCard;
  file = join(folder, 'agents.json');
  const expose = { finance: { as: 'finance_shown', definition: definitionIn(card, 'finance') } };
  const finance = { card: theirs.url, skill: 'finance', expose };
  await writeFile(file, JSON.stringify({ finance, nowhere: { card: 'http://127.0.0.1:9', timeoutMs: 1500 } }));
  const allow = [new URL(theirs.url).host, '127.0.0.1:9'].map((one) => `${one}=127.0.0.1/32!http`).join(';');
  variables = { AGENTS_FILE: file, EGRESS_ALLOW: allow };
  const agents = [StepAgent, BranchesAgent, ItemsAgent, FallbackAgent, TransferAgent];
  ours = await runApp(variables, {
    skills: [...agents, ToolAgent, ModelTransferAgent, CodeAgent],
    model: { port: ASKING },
  });
  client = new RpcClient(ours.url);
});

afterAll(async () => {
  await ours.close();
  await theirs.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an agent of AGENTS_FILE in a flow', () => {
  it.each([
    ['as_step', '7', '7 counted'],
    ['as_branches', '7', '7 counted, 7 counted'],
    ['as_items', 'x', '["1 counted","2 counted"]'],
    ['as_fallback', '7', '7 counted'],
    ['as_target', '7', '7 counted'],
    ['as_tool', 'count', '7 counted'],
    ['as_transfer_of_a_model', 'count', '7 counted'],
    ['as_code', '7', '7 counted'],
  ])('starts and is called: %s (S1, A-1, O-60, SEED-53)', async (skillId, text, answer) => {
    const task: Task = await client.task('SendMessage', aMessage(text, { skillId }));
    expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    const texts = task.artifacts?.flatMap(({ parts }) => parts).map((part) => ('text' in part ? part.text : ''));
    expect(texts?.join('')).toBe(answer);
  });

  it('stops the start where AGENTS_FILE does not have it (O-20)', async () => {
    @Agent(about('lost'))
    class LostAgent extends FlowAgent {
      readonly flow = call(remote('nobody'));
    }
    const start = runApp(variables, { skills: [LostAgent] });
    await expect(start).rejects.toThrow(
      'The agent "lost" (LostAgent) cannot be offered: its flow: there is no skill "remote:nobody"',
    );
  });

  it('is in no card, and no message reaches it', async () => {
    const card = (await (await fetch(`${ours.url}/.well-known/agent-card.json`)).json()) as AgentCard;
    expect(card.skills.map(({ id }) => id)).not.toContain(FINANCE);
    const { error } = await client.call('SendMessage', aMessage('7', { skillId: FINANCE }));
    expect(error?.code).toBe(-32602);
  });
});
