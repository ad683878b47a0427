import { randomUUID } from 'node:crypto';
import type { Message } from '@parley/protocol/model/message.js';
import type { SkillEvent } from '../skill/events.js';
import type { SkillUnderTest } from './child-answer.js';
import { aContext, runIn } from './run-skill.js';
import type { SkillInput } from './test-input.js';

/** The parts of a turn that a test sets; the conversation adds the rest. */
export type Saying = Omit<SkillInput, 'history' | 'turn' | 'state' | 'contextValues' | 'taskId' | 'contextId'>;

/** One task of several turns, without a server: keeps history and state from turn to turn. */
export class Conversation {
  /** The state of the skill. */
  readonly state = new Map<string, unknown>();
  readonly contextValues = new Map<string, unknown>();
  private readonly ids = { taskId: randomUUID(), contextId: randomUUID() };
  private history: readonly Message[] = [];
  private turn = 0;

  constructor(private readonly skill: SkillUnderTest) {}

  /** Says something to the skill and gives the events of the turn that it begins. */
  async say(saying: Saying | string): Promise<readonly SkillEvent[]> {
    const { state, contextValues, history, ids } = this;
    const input = typeof saying === 'string' ? { text: saying } : saying;
    const context = aContext({ ...input, ...ids, state, contextValues, history, turn: ++this.turn });
    const events: SkillEvent[] = [];
    for await (const event of runIn(context, this.skill)) {
      events.push(event);
    }
    this.history = [...context.history, ...this.answersIn(events)];
    return events;
  }

  private answersIn(events: readonly SkillEvent[]): readonly Message[] {
    return events.flatMap((event) =>
      event.kind === 'status' && event.parts.length > 0
        ? [{ messageId: randomUUID(), role: 'ROLE_AGENT' as const, parts: event.parts, ...this.ids }]
        : [],
    );
  }
}
