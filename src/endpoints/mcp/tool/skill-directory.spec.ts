import { describe, expect, it } from '@jest/globals';
import type { CallerGate } from '../../../auth/caller.gate.js';
import { SkillRegistry } from '../../../skill/skill.registry.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { McpRequest } from '../call/mcp-request.js';
import { SkillDirectory } from './skill-directory.js';
import type { ToolCalls } from './tool-calls.js';
import { ToolList } from './tool-list.js';

const LOCAL = { tenant: 'default', client: 'me', scopes: [], method: 'token' };

const aSkill = (id: string, description: string, more: Partial<SkillOptions> = {}): SkillOptions => ({
  ...{ id, name: id, description, tags: [] },
  ...more,
});

const MANY = Array.from({ length: 51 }, (_unused, at) => aSkill(`skill_${String(at)}`, `Counts to ${String(at)}.`));
const WEATHER = aSkill('forecast', 'The weather of tomorrow.');

/** The tools of a service with these skills; calls are answered with their arguments. */
function directoryOf(skills: readonly SkillOptions[]) {
  const counted: string[] = [];
  const gate = { permitList: () => (counted.push('read'), {}) } as unknown as CallerGate;
  const registry = new SkillRegistry(skills.map((options) => ({ options, handler: { run: () => nothing() } })));
  const list = new ToolList(registry, gate, { taskTools: true, mostTools: 50 });
  const tools = { answer: async ({ params }: McpRequest) => params } as unknown as ToolCalls;
  return { list, directory: new SkillDirectory(list, tools), counted };
}

async function* nothing(): AsyncGenerator<never, void, void> {
  // There is no event.
}

const request = (name: string, args: object = {}, scopes: readonly string[] = []): McpRequest =>
  ({
    params: { name, arguments: args, requestState: 'sealed' },
    call: { principal: { ...LOCAL, scopes }, setHeaders: () => undefined },
    isModern: true,
  }) as unknown as McpRequest;

async function shownBy(list: ToolList, scopes: readonly string[] = []): Promise<readonly string[]> {
  const { tools } = JSON.parse(await list.answer(request('', {}, scopes))) as { tools: readonly { name: string }[] };
  return tools.map(({ name }) => name);
}

async function foundBy(directory: SkillDirectory, args: object) {
  const { content } = (await directory.answer(request('parley_skill_find', args))) as {
    content: readonly [{ text: string }];
  };
  return JSON.parse(content[0].text) as { total: number; next?: number; skills: readonly { name: string }[] };
}

describe(SkillDirectory.name, () => {
  it('is absent for fifty skills: each is a tool (MCP-BRIDGE-4)', async () => {
    const { list, directory } = directoryOf(MANY.slice(0, 50));
    expect(await shownBy(list)).toHaveLength(50);
    expect(directory.has(request('parley_skill_find'))).toBe(false);
  });

  it('replaces the tools of more than fifty skills (MCP-BRIDGE-4)', async () => {
    const { list, directory } = directoryOf(MANY);
    expect(await shownBy(list)).toEqual(['parley_skill_find', 'parley_skill_call']);
    expect(directory.has(request('parley_skill_find'))).toBe(true);
    expect(directory.has(request('skill_1'))).toBe(false);
  });

  it('depends on the skills that the caller may call', async () => {
    const { list, directory } = directoryOf([...MANY.slice(0, 50), { ...WEATHER, scopes: ['skill:weather'] }]);
    expect(await shownBy(list)).toHaveLength(50);
    expect(await shownBy(list, ['skill:weather'])).toEqual(['parley_skill_find', 'parley_skill_call']);
    expect(directory.has(request('parley_skill_call', {}, ['skill:weather']))).toBe(true);
    expect((await list.skillsOf(request(''))).map(({ name }) => name)).not.toContain('forecast');
  });

  it('finds skills by words, the best first, and lists them page by page with their schemas', async () => {
    const { directory, counted } = directoryOf([...MANY, WEATHER]);
    const found = await foundBy(directory, { query: 'Weather, tomorrow?' });
    expect(found).toMatchObject({ total: 1, skills: [{ name: 'forecast', inputSchema: { required: ['text'] } }] });
    const first = await foundBy(directory, {});
    expect(first).toMatchObject({ total: 52, next: 20 });
    const last = await foundBy(directory, { from: 40 });
    expect(last.skills.at(-1)?.name).toBe('forecast');
    expect(last.next).toBeUndefined();
    expect(counted).toHaveLength(3);
  });

  it('calls a skill like its tool, with the state of the call', async () => {
    const { directory } = directoryOf(MANY);
    const args = { skill: 'skill_7', arguments: { text: 'x' } };
    expect(await directory.answer(request('parley_skill_call', args))).toEqual({
      ...{ name: 'skill_7', arguments: { text: 'x' }, requestState: 'sealed' },
    });
    expect(await directory.answer(request('parley_skill_call', { skill: 'none' }))).toMatchObject({ isError: true });
    expect(await directory.answer(request('parley_skill_call', {}))).toMatchObject({ isError: true });
  });
});
