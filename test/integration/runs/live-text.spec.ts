import { describe, expect, it } from '@jest/globals';
import { Model } from '@parley/sdk/model/model.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import type { SkillContext } from '@parley/sdk/skill/skill.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { TreeBench } from '../../kit/tasks/tree-bench.js';

const PIECES = ['Take ', 'the ', 'train.'];
const REPLY = { toolCalls: [], usage: { input: 1, output: 3 }, finish: 'stop' } as const;

/** Gives its answer piece by piece; the first `lost` requests hang after so many pieces. */
function speaking(lost: readonly number[]) {
  const asked = { count: 0 };
  const port: ModelPort = {
    name: 'speaking',
    complete: async (_request, { onText, signal }) => {
      const most = lost[asked.count++];
      for (const piece of PIECES.slice(0, most)) onText?.(piece);
      if (most !== undefined)
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('lost'))));
      return { ...REPLY, text: PIECES.join('') };
    },
  };
  return { asked, port };
}

describe('the text of a model while it comes (F2, LLM-05)', () => {
  const stores = useTaskStores();

  const bench = (port: ModelPort, isAfterCall: boolean) =>
    new TreeBench(stores.now, {
      leaf: async function* () {
        yield completed('found');
      },
      desk: async function* (context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
        if (isAfterCall) await context.call('leaf');
        yield* new Model(port).stream(context, { messages: [{ role: 'user', text: 'How?' }], place: 'answer' });
      },
    });
  /** The pieces in the log of a task, a `>` where an artifact begins anew. */
  const pieces = async (id: string): Promise<readonly string[]> =>
    (await stores.now.events(id)).flatMap(({ event: { value: event } }) => {
      if (!('artifactUpdate' in event)) return [];
      const { artifact, append = false, lastChunk = false } = event.artifactUpdate;
      const text = artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
      return [`${append ? '' : '>'}${text}${lastChunk ? '.' : ''}`];
    });
  const textOf = async (id: string): Promise<readonly string[]> =>
    ((await stores.now.task(id)).artifacts ?? []).map(({ parts }) =>
      parts.map((part) => ('text' in part ? part.text : '')).join(''),
    );

  it.each([false, true])('is in the log piece by piece, also after a call: %j', async (isAfterCall) => {
    const { port } = speaking([]);
    const made = bench(port, isAfterCall);
    const id = await made.root('desk');
    await made.run(id);
    if (isAfterCall) await made.settle();
    expect(await pieces(id)).toEqual(['>Take ', 'the ', 'train.', '.']);
    expect(await textOf(id)).toEqual(['Take the train.']);
  });

  it.each([0, 1, 2, 3])(
    'begins anew when its run is lost after %i pieces, and asks again once (LLM-05)',
    async (before) => {
      const { asked, port } = speaking([before]);
      const made = bench(port, true);
      const id = await made.root('desk');
      await made.run(id);
      for (const { taskId } of await stores.now.queue.heads(10, 'all')) if (taskId !== id) await made.run(taskId);
      const first = made.begin(await made.claim(id));
      await eventually(() => expect(asked.count).toBe(1));
      await eventually(async () => expect(await pieces(id)).toHaveLength(before));
      first.turn.stop('lost');
      expect(await first.result).toEqual({ kind: 'stopped', reason: 'lost' });
      await stores.now.expireLease(id);
      await stores.now.sweeps.evaluate(id);
      await made.run(id);
      expect(asked.count).toBe(2);
      expect(await textOf(id)).toEqual(['Take the train.']);
      const log = await pieces(id);
      expect(log.slice(before)).toEqual(['>Take ', 'the ', 'train.', '.']);
      expect((await stores.now.task(id)).status.state).toBe('TASK_STATE_COMPLETED');
    },
  );
});
