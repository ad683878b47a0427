import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Message } from '@parley/protocol/model/message.js';
import type { OpenWait } from '@parley/sdk/skill/replay/replay-host.js';
import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import { HINT } from '../../tasks/commit/wait.js';
import type { ClaimedRun, LateMessage } from '../../tasks/commit/run.store.js';
import { TurnHints } from './turn-hints.js';
import { TurnMessages } from './turn-messages.js';

const wait = (number: number, signal: string | undefined): OpenWait => ({
  ...{ number, signal, until: Infinity, isForChildren: false, question: undefined },
});

let open: OpenWait[];
/** Number and journal text of each ended wait. */
let ended: [number, string | undefined][];
const replay = {
  get openWaits() {
    return open;
  },
  give: (number: number, { json }: { json?: string }) => {
    ended.push([number, json]);
    open = open.filter((one) => one.number !== number);
  },
} as unknown as Replay;

beforeEach(() => {
  [open, ended] = [[], []];
});

describe(TurnMessages.name, () => {
  const said = (text: string): Message => ({ messageId: text, role: 'ROLE_USER', parts: [{ text }] });
  const stored = (...texts: string[]): LateMessage[] =>
    texts.map((text, at) => ({ index: at + 5, message: said(text) }));
  const messagesOf = (late: () => LateMessage[], repeats?: ClaimedRun['repeats']): TurnMessages =>
    new TurnMessages({
      run: { repeats } as unknown as ClaimedRun,
      replay,
      notebook: { lateMessages: () => Promise.resolve(late()) },
      sendersOf: (messages) => Promise.resolve(messages.map(() => ({ tenant: 'acme', client: 'ann', scopes: [] }))),
    });

  it('gives messages to the waits for any, both in order, each once', async () => {
    const messages = messagesOf(() => stored('a', 'b', 'c'));
    await messages.learn();
    open = [wait(1, undefined), wait(2, '*'), wait(3, '*')];
    expect(messages.match()).toBe(true);
    expect(ended.map(([number]) => number)).toEqual([2, 3]);
    expect(messages.read).toEqual([5, 6]);
    expect(messages.match()).toBe(false);
    open = [wait(4, '*')];
    expect([messages.match(), messages.match()]).toEqual([true, false]);
    expect(messages.read).toEqual([5, 6, 7]);
  });

  it('leaves a message for the next turn that no wait is for', async () => {
    const messages = messagesOf(() => stored('a'));
    await messages.learn();
    open = [wait(1, 'paid')];
    expect(messages.match()).toBe(false);
    expect(messages.read).toEqual([]);
  });

  it('recalls from the journal the message of a wait and its sender, and counts it as read', async () => {
    const late = stored('a', 'b');
    const first = messagesOf(() => late);
    await first.learn();
    open = [wait(1, '*')];
    first.match();
    const again = messagesOf(() => [], { late } as unknown as ClaimedRun['repeats']);
    await again.learn();
    expect(again.recall(ended[0]?.[1])).toMatchObject({ message: late[0]?.message, sender: { client: 'ann' } });
    expect(again.read).toEqual([5]);
    expect(again.recall(undefined)).toBeUndefined();
    open = [wait(2, '*')];
    again.match();
    expect(again.read).toEqual([5, 6]);
  });
});

describe(TurnHints.name, () => {
  it('ends all waits for hints with one hint, and the next only with a later one', async () => {
    let count = 0;
    const run = { hints: 1 } as unknown as ClaimedRun;
    const hints = new TurnHints({ run, replay, notebook: { hints: () => Promise.resolve(count) } });
    open = [wait(1, HINT), wait(2, 'paid'), wait(3, HINT)];
    expect([hints.isWaiting, hints.match()]).toEqual([true, true]);
    expect(ended.map(([number]) => number)).toEqual([1, 3]);
    open = [wait(4, HINT)];
    expect(hints.match()).toBe(false);
    count = 2;
    await hints.learn();
    expect([hints.known, hints.match()]).toEqual([2, true]);
  });

  it('knows from the journal whether a hint or the time ended a wait', () => {
    const hints = new TurnHints({
      run: { hints: 3 } as unknown as ClaimedRun,
      replay,
      notebook: { hints: () => Promise.resolve(3) },
    });
    expect([hints.recall(undefined), hints.recall('3')]).toEqual([false, true]);
    open = [wait(1, HINT)];
    expect(hints.match()).toBe(false);
  });
});
