import { describe, expect, it } from '@jest/globals';
import { hostOf } from '@parley/sdk/skill/context/skill-host.js';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { type SkillContext, SkillFailure } from '@parley/sdk/skill/skill.js';
import { aMessage } from '../../kit/tasks/task-stores.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { TreeBench } from '../../kit/tasks/tree-bench.js';

/** Answers with what was said before in its context. */
async function* recalling(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  const { conversation } = hostOf(context);
  const of = context.text === 'all' ? 'all' : 'agent';
  const said = (await conversation?.({ last: 20, of })) ?? [];
  yield completed(`${context.text} after ${said.map(({ role, text }) => `${role}: ${text}`).join(' | ')}`);
}

describe('the conversation of a context (C4)', () => {
  const stores = useTaskStores();
  const bench = () =>
    new TreeBench(stores.now, {
      desk: recalling,
      other: recalling,
      secret: { run: recalling, options: { scopes: ['secrets'] } },
      failing: async function* ({ text }) {
        if (text !== '') throw new SkillFailure('no luck');
        yield completed(text);
      },
      parent: async function* ({ call }) {
        yield completed((await call('desk', 'inner')).text);
      },
    });
  const answerOf = async (id: string): Promise<string> =>
    (await stores.now.task(id)).status.message?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
  const say = async (made: TreeBench, text: string, changes: object = {}, skill = 'desk'): Promise<string> => {
    const id = await made.root(skill, { message: aMessage({ parts: [{ text }] }), contextId: 'thread', ...changes });
    await made.finish(id);
    return answerOf(id);
  };

  it('has what was said in earlier tasks of the same agent, oldest first (C4, LLM-31, AGUI-47)', async () => {
    const made = bench();
    expect(await say(made, 'one')).toBe('one after ');
    expect(await say(made, 'two', {}, 'other')).toBe('two after ');
    expect(await say(made, 'three')).toBe('three after user: one | assistant: one after ');
    expect(await say(made, 'all')).toMatch(/^all after user: one .*user: two .*user: three/);
  });

  it('has nothing of another owner, another context, or a context of its own (C4, LLM-31)', async () => {
    const made = bench();
    await say(made, 'one');
    expect(await say(made, 'x', { owner: 'stranger' })).toBe('x after ');
    expect(await say(made, 'x', { contextId: 'elsewhere' })).toBe('x after ');
    expect(await say(made, 'x', { contextId: undefined })).toBe('x after ');
  });

  it('leaves out running tasks, and skills that the caller may not use (C4, LLM-31)', async () => {
    const made = bench();
    await made.root('desk', { message: aMessage({ parts: [{ text: 'open' }] }), contextId: 'thread' });
    await say(made, 'hidden', {}, 'secret');
    expect(await say(made, 'all')).toBe('all after ');
    expect(await say(made, 'all', { scopes: ['secrets'] })).toContain('user: hidden');
  });

  it('names what failed, and is bounded in number and size (C4, LLM-31)', async () => {
    const made = bench();
    await say(made, 'try', {}, 'failing');
    expect(await say(made, 'all')).toBe('all after user: try | assistant: [failed] no luck');
    for (let at = 0; at < 24; at += 1) await say(made, `${'x'.repeat(10_000)}${String(at)}`);
    const said = await say(made, 'all');
    expect(said.length).toBeLessThan(70_000);
    expect(said.split('user: ').length).toBeLessThanOrEqual(21);
  });

  it('is not that of a called skill, which its parent asks', async () => {
    const made = bench();
    await say(made, 'one');
    const id = await made.root('parent', { contextId: 'thread' });
    await made.run(id);
    const [head] = await stores.now.queue.heads(10, 'all');
    await made.finish(head?.taskId ?? '');
    expect(await answerOf(head?.taskId ?? '')).toBe('inner after ');
  });
});
