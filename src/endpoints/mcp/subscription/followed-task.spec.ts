import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/kit/run/eventually.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { Json } from '@parley/protocol/model/json.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { FollowedTask } from './followed-task.js';
import type { Subscriber, TaskEvents, TaskNews } from './task-news.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const timestamp = '2026-11-23T00:00:00Z';
const status = (state: TaskState): StreamResponse => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: { state, timestamp } },
});
const artifact = (artifactId: string): StreamResponse => ({
  artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId, parts: [{ text: 'x' }] } },
});

/** A followed task, its events, and the notifications to its client. */
function aFollowedTask(uris: readonly string[] = []) {
  const sent: string[] = [];
  const waiting: ((event: StreamResponse | undefined) => void)[] = [];
  const events = {
    next: async () => {
      const value = await new Promise<StreamResponse | undefined>((resolve) => waiting.push(resolve));
      return value === undefined ? { done: true, value } : { done: false, value: { event: Json.of(value) } };
    },
  } as TaskEvents;
  const reply = {
    isGone: false,
    send: (message: string) => Promise.resolve(void sent.push((JSON.parse(message) as { method: string }).method)),
  };
  const news = {
    send: () => Promise.resolve(void sent.push('task')),
    questionOf: () => Promise.resolve(undefined),
  };
  const what = { id: 't', isTaskWanted: true, uris };
  const task = new FollowedTask(what, events, { id: 1, reply } as unknown as Subscriber, news as unknown as TaskNews);
  const over = task.follow();
  const push = async (event: StreamResponse | undefined): Promise<void> => {
    await eventually(() => expect(waiting).toHaveLength(1));
    waiting.pop()?.(event);
  };
  return { sent, push, over };
}

describe(FollowedTask.name, () => {
  it('notifies of a task and of its artifacts once a second at most, and of the end', async () => {
    const { sent, push, over } = aFollowedTask(['parley://tasks/t/artifacts/result']);
    const working = status('TASK_STATE_WORKING');
    for (const event of [working, working, artifact('result'), artifact('result'), artifact('other')])
      await push(event);
    await push(status('TASK_STATE_COMPLETED'));
    await push(undefined);
    await over;
    expect(sent).toEqual(['task', 'notifications/resources/updated', 'task']);
  });

  it('retains nothing of an event while it waits for the next one', async () => {
    const { sent, push } = aFollowedTask();
    const kept: WeakRef<object>[] = [];
    const pushed = async (): Promise<void> => {
      const event = status('TASK_STATE_WORKING');
      kept.push(new WeakRef(event));
      await push(event);
    };
    await pushed();
    await eventually(() => expect(sent).toEqual(['task']));
    await eventually(() => {
      collect();
      expect(kept.map((one) => one.deref())).toEqual([undefined]);
    });
  });
});
