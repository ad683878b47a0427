import type { Message } from '@parley/protocol/model/message.js';
import { RemoteAgentSkill } from '../../../src/remote-agents/mirror/remote-agent.skill.js';
import type { Poll, RemoteCalls, RemoteEnd, Sent } from '../../../src/remote-agents/mirror/remote-calls.js';
import type { MirrorStore } from '../../../src/tasks/tree/mirror.store.js';
import type { TreeSkill } from '../tasks/tree-bench.js';

const END: RemoteEnd = { state: 'TASK_STATE_COMPLETED', parts: [{ text: 'done' }], artifacts: [] };

/** An agent that waits for a login. */
export const LOGIN = {
  kind: 'asks',
  state: 'TASK_STATE_AUTH_REQUIRED',
  parts: [{ text: 'Log in at https://a.example' }],
} as const satisfies Poll;

/** An agent of another service with one task, whose state the test sets. */
export class ScriptedAgent {
  /** State of its task for the next polls. */
  state: Poll = LOGIN;
  readonly sent: Message[] = [];
  readonly canceled: string[] = [];
  polls = 0;
  /** Called with each poll, before its answer. */
  onPoll: (poll: number) => Promise<void> = () => Promise.resolve();
  /** Outcome of a message, by its number from 1. */
  onSend: (number: number) => Sent = () => BEGUN;

  constructor(private readonly isPushed = true) {}

  /** The skill that mirrors its task. */
  skill(mirrors: MirrorStore): TreeSkill['run'] {
    const agent = { name: 'bank', card: 'https://bank.example', timeoutMs: 60_000, resend: 'safe' };
    const calls = {
      agent,
      of: () => calls,
      send: async (message: Message): Promise<Sent> => {
        const sent = this.onSend(this.sent.push(message));
        return this.isPushed && sent.kind === 'task' ? { ...sent, push: true } : sent;
      },
      poll: async (_id: string, noted: (end: RemoteEnd) => void): Promise<Poll> => {
        this.polls += 1;
        const { state } = this;
        await this.onPoll(this.polls);
        if (state.kind === 'ended') noted(END);
        return state;
      },
      end: () => Promise.resolve(END),
      cancel: (id: string) => Promise.resolve(this.canceled.push(id) > 0),
    };
    const skill = new RemoteAgentSkill(calls as unknown as RemoteCalls, mirrors);
    return (context) => skill.run(context);
  }
}

const BEGUN: Sent = { kind: 'task', taskId: 'theirs', contextId: 'c', state: 'TASK_STATE_WORKING' };
