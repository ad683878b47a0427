import { describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '../events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill.js';
import { runFlow } from '../../testing/api.js';
import { artifactRef, readRef, refText } from './artifact-ref.js';

const ID = '0b111111-1111-4111-8111-111111111111';

@Skill({ id: 'reader', name: 'reader', description: 'reads', tags: [] })
class Reader implements SkillHandler {
  async *run({ text, artifacts, shared }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const found = text === '' ? undefined : await artifacts.get(text);
    const history = (await shared('parent').get('history')) as readonly unknown[];
    yield completed(`${found?.text ?? 'nothing'} ${String(history.length)}`);
  }
}

@Skill({ id: 'writer', name: 'writer', description: 'writes', tags: [] })
class Writer implements SkillHandler {
  async *run({ artifacts, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const first = await artifacts.put('report', 'draft');
    const second = await artifacts.put('report', 'final');
    const read = await call('reader', second, { history: 'all' });
    const before = await call('reader', first);
    yield completed(`${read.text}, ${before.text}, ${second.replace(/^.*\//, '')}`);
  }
}

describe('context.artifacts', () => {
  it('hands versions on by reference, once each over a crash after every entry of the journal (O-52, O-54)', async () => {
    const run = await runFlow(Writer, { text: 'go', children: { reader: Reader }, crashAfter: 'each' });
    expect(run.text).toBe('final 1, draft 0, report@2');
  });

  it('reads and writes references', () => {
    expect(readRef(`artifact:${ID}/analysis_report.md@2`)).toEqual({
      taskId: ID,
      name: 'analysis_report.md',
      version: 2,
    });
    expect(readRef(artifactRef({ taskId: ID }, 'out'))).toEqual({ taskId: ID, name: 'out' });
    expect(['artifact:x/y', 'report', `artifact:${ID}/`].map(readRef)).toEqual([undefined, undefined, undefined]);
    expect(() => refText({ taskId: ID, name: 'a b' })).toThrow('no name of an artifact');
  });
});
