import { describe, expect, it } from '@jest/globals';
import { artifact, type SkillEvent } from '../events.js';
import { JournalMismatch } from '../replay/journal.js';
import { aContext, runSkill } from '../../testing/run-skill.js';
import type { SkillInput } from '../../testing/test-input.js';
import { Skill, type SkillContext } from '../skill.js';
import { ToolFailed, type ToolInvocation, type ToolOutcome, type ToolServers, type ToolTerms } from './skill-tool.js';
import { skillTools } from './skill-tools.js';

const DONE: ToolOutcome = { kind: 'result', result: { text: 'done', parts: [], isError: false } };

class Killed extends Error {}

/** A server that does as scripted and notes each call; the last outcome repeats. */
function aServer(terms: Partial<ToolTerms>, ...outcomes: readonly (ToolOutcome | Error)[]) {
  const calls: ToolInvocation[] = [];
  const servers: ToolServers = {
    find: () => ({ pin: 'sha256-x', isRepeatable: false, onUnknown: 'fail', isLong: false, ...terms }),
    invoke: async (call) => {
      const outcome = outcomes[Math.min(calls.length, outcomes.length - 1)] ?? DONE;
      calls.push(call);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
  return { calls, servers };
}

/** The tools of one run; runs with the same map of steps are of one turn. */
function toolsOfRun(servers: ToolServers, input: SkillInput = {}) {
  const { step, ask, call } = aContext(input);
  const run = { taskId: 't', tenant: 'acme', idempotencyKey: 't:1', signal: () => new AbortController().signal };
  return skillTools({ ...run, servers, declared: { files: ['read', 'write'] }, step, ask, call });
}

describe(skillTools.name, () => {
  it('MCP-STEP-1: notes a call before making it, and a re-run gets the first result', async () => {
    const { calls, servers } = aServer({});
    const steps = new Map<string, unknown>();
    expect(await toolsOfRun(servers, { steps }).call('files', 'read', { path: 'a' })).toMatchObject({ text: 'done' });
    expect(await toolsOfRun(servers, { steps }).call('files', 'read', { path: 'a' })).toMatchObject({ text: 'done' });
    expect(calls).toHaveLength(1);
    expect([...steps.keys()]).toEqual(['mcp:files/read#1 intent', 'mcp:files/read#1']);
    expect(JSON.stringify([...steps.values()])).not.toContain('path');
  });

  it.each([
    ['a tool whose effects allow it is called again, with the same key', { isRepeatable: true }, 2, undefined],
    ['an operator may want it repeated', { onUnknown: 'repeat' }, 2, undefined],
    ['any other is not: nobody knows whether it was', {}, 1, 'unknown-outcome'],
  ] as const)('MCP-STEP-1: after a crash between call and result, %s', async (_what, terms, calledTimes, why) => {
    const { calls, servers } = aServer(terms, new Killed(), DONE);
    const steps = new Map<string, unknown>();
    await expect(toolsOfRun(servers, { steps }).call('files', 'write')).rejects.toThrow(Killed);
    const again = toolsOfRun(servers, { steps }).call('files', 'write');
    if (why === undefined) await again;
    else await expect(again).rejects.toMatchObject({ why, message: expect.stringContaining('may have been called') });
    expect(calls).toHaveLength(calledTimes);
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(['t:1:mcp:files/write#1']));
  });

  it.each([
    [true, 2],
    [false, 1],
  ])('asks where the operator wants it, and calls again only on a yes (%s)', async (again, calledTimes) => {
    const { calls, servers } = aServer({ onUnknown: 'ask' }, new Killed(), DONE);
    const steps = new Map<string, unknown>();
    await expect(toolsOfRun(servers, { steps }).call('files', 'write')).rejects.toThrow(Killed);
    const skill = new AskingSkill(servers);
    const ran = runSkill(skill, { steps, answers: [{ again }] });
    if (again) expect(await ran).toMatchObject([{ parts: [{ text: 'done' }] }]);
    else await expect(ran).rejects.toThrow(ToolFailed);
    expect(calls).toHaveLength(calledTimes);
  });

  it('MCP-STEP-2: other arguments under the same name in a repeated run are an error, whatever their order', async () => {
    const { calls, servers } = aServer({});
    const steps = new Map<string, unknown>();
    await toolsOfRun(servers, { steps }).call('files', 'read', { path: 'a', line: 1 });
    await toolsOfRun(servers, { steps }).call('files', 'read', { line: 1, path: 'a' });
    const changed = toolsOfRun(servers, { steps }).call('files', 'read', { path: 'b', line: 1 });
    await expect(changed).rejects.toThrow(JournalMismatch);
    expect(calls).toHaveLength(1);
  });

  it('names equal calls apart, and takes a name of its own', async () => {
    const { calls, servers } = aServer({});
    const tools = toolsOfRun(servers);
    await tools.call('files', 'read');
    await tools.call('files', 'read');
    await tools.call('files', 'read', {}, { as: 'last' });
    const keys = calls.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual(['t:1:mcp:files/read#1', 't:1:mcp:files/read#2', 't:1:mcp:last']);
  });

  it("MCP-STEP-6: asks a tool's question as one of the skill, and returns its answer with the state", async () => {
    const schema = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] };
    const asks: ToolOutcome = { kind: 'asks', questions: [{ key: 'q', text: 'Delete it?', schema }], state: 'sealed' };
    const { calls, servers } = aServer({}, asks, DONE);
    const asked: string[] = [];
    const answers = (question: { readonly text: string }) => {
      asked.push(question.text);
      return { sure: true };
    };
    expect(await runSkill(new AskingSkill(servers), { answers })).toMatchObject([{ parts: [{ text: 'done' }] }]);
    expect(asked).toEqual(['files: Delete it?']);
    expect(calls.map((call) => call.answers)).toEqual([undefined, { state: 'sealed', content: { q: { sure: true } } }]);
  });

  it('gives up on a tool that asks without an end', async () => {
    const { calls, servers } = aServer({}, { kind: 'asks', questions: [{ key: 'q', text: 'Again?' }] });
    const answers = () => 'yes';
    await expect(runSkill(new AskingSkill(servers), { answers })).rejects.toMatchObject({ why: 'refused' });
    expect(calls).toHaveLength(16);
  });

  it('calls only tools that the skill declares and the operator lists', async () => {
    const { calls, servers } = aServer({});
    await expect(toolsOfRun(servers).call('files', 'delete')).rejects.toThrow('the skill does not declare it');
    await expect(toolsOfRun(servers).call('constructor', 'name')).rejects.toMatchObject({ why: 'unknown-tool' });
    const unlisted = { ...servers, find: () => undefined };
    await expect(toolsOfRun(unlisted).call('files', 'read')).rejects.toThrow('MCP_SERVERS_FILE does not list it');
    expect(calls).toEqual([]);
  });

  it('is not called within a step, whose result would hide it', async () => {
    const { servers } = aServer({});
    const context = aContext({});
    const tools = toolsOfRun(servers);
    await expect(context.step('work', () => tools.call('files', 'read'))).rejects.toThrow('within the step "work"');
  });

  it('is given by the tests of a skill', async () => {
    const tools = { 'files/read': ({ path }: { readonly path?: unknown }) => ({ text: `content of ${String(path)}` }) };
    const [event] = await runSkill(ReadingSkill, { tools, crashAfter: 'each' });
    expect(event).toMatchObject({ parts: [{ text: 'content of a.txt' }] });
  });
});

const OPTIONS = { name: 'Test', description: 'Calls a tool.', tags: [], tools: { files: ['read', 'write'] } };

@Skill({ id: 'reading', ...OPTIONS })
class ReadingSkill {
  async *run({ tools }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { text } = await tools.call('files', 'read', { path: 'a.txt' });
    yield artifact('content', text);
  }
}

@Skill({ id: 'asking', ...OPTIONS })
class AskingSkill {
  constructor(private readonly servers: ToolServers) {}

  async *run({ step, ask, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const run = { taskId: 't', tenant: 'acme', idempotencyKey: 't:1', signal: () => new AbortController().signal };
    const tools = skillTools({ ...run, servers: this.servers, declared: { files: ['write'] }, step, ask, call });
    yield artifact('result', (await tools.call('files', 'write')).text);
  }
}
