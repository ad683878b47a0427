import { Injectable, Logger } from '@nestjs/common';
import { type CloudEvent, EVENT_EXTENSION } from '@parley/protocol/extension/cloud-event.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { callerFields, storedFields } from '../../platform/logging/call-fields.js';
import { type LineFields, withLineFields } from '../../platform/logging/line-fields.js';
import { Policies } from '../../policy/policies.js';
import { anyOf, type NameTest } from '@parley/sdk/skill/contract/glob.js';
import { subscriptionsOf } from '../../skill/skill-catalog.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { digestOfMessage, type NewTask } from '../../tasks/record/new-task.js';
import type { PublishedEvent } from '../../tasks/publications/published-event.js';
import { PublishedEvents, type WaitingEvent } from '../../tasks/publications/published-events.store.js';
import { taskIdOfDigest } from '../../tasks/task.keys.js';
import { TaskStore } from '../../tasks/store/task.store.js';
import { EventOutlet } from './event-outlet.js';

/** Maximum depth of events that lead to events. */
export const MAX_HOPS = 8;

interface Subscriber {
  readonly options: SkillOptions;
  readonly takes: NameTest;
}

/**
 * Begins a task of each subscriber for each published event, on behalf of the publishing task's caller: so no event
 * leaves its owner. The id of such a task follows from event and skill, and an entry stays until all of its tasks exist
 * and the logs of all webhooks have the event: after any crash there is exactly one.
 */
@Injectable()
export class EventFanOut {
  private readonly log = new Logger(EventFanOut.name);
  private readonly subscribers: readonly Subscriber[];

  constructor(
    private readonly published: PublishedEvents,
    private readonly tasks: TaskStore,
    private readonly skills: SkillRegistry,
    private readonly policies: Policies,
    private readonly outlet: EventOutlet,
  ) {
    this.subscribers = skills.options.flatMap((options) => {
      const types = subscriptionsOf(options);
      return types.length === 0 ? [] : [{ options, takes: anyOf(types) }];
    });
  }

  /** Distributes the oldest events of each shard, in order. Returns the number of begun tasks. */
  async sweep(limit: number): Promise<number> {
    const shards = await this.published.due(limit);
    const begun = await Promise.all(shards.map((events) => this.handOnAll(events)));
    return begun.reduce((sum, count) => sum + count, 0);
  }

  private async handOnAll(events: readonly WaitingEvent[]): Promise<number> {
    let begun = 0;
    for (const { published, done } of events) {
      begun += await withLineFields(fieldsOf(published), async () => {
        const tasks = await this.handOn(published);
        await this.outlet.announce(published);
        return tasks;
      });
      await done();
    }
    return begun;
  }

  private async handOn(published: PublishedEvent): Promise<number> {
    const { event, hops } = published;
    const subscribers = this.subscribers.filter(({ takes }) => takes(event.type));
    let begun = 0;
    for (const { options } of subscribers) {
      const refusal =
        hops > MAX_HOPS ? `it is the ${String(hops)}th event in a row` : await this.refusal(published, options);
      const outcome = refusal === undefined ? await this.begin(published, options) : undefined;
      begun += outcome?.isNew === true ? 1 : 0;
      const { id, type } = event;
      const line = { event: 'event.handed-on', id, type, skill: options.id, hops };
      if (refusal === undefined) this.log.log({ ...line, ...outcome });
      else this.log.warn({ ...line, event: 'event.not-handed-on', reason: refusal });
    }
    return begun;
  }

  /**
   * The reason for withholding an event: a subscriber that the task's caller may not call is not begun by its events.
   */
  private async refusal(published: PublishedEvent, skill: SkillOptions): Promise<string | undefined> {
    const { id, scopes = [] } = skill;
    const missing = scopes.find((scope) => !published.scopes.includes(scope));
    if (missing !== undefined) return `the caller of the task lacks the scope "${missing}"`;
    if (!this.policies.current.mayUse(published, skill).isAllowed)
      return 'the policy does not let the caller use the skill';
    const violations = await this.skills.inputViolations(id, { message: messageOf(published.event, id) });
    if (violations.length === 0) return undefined;
    return `the data does not fit: ${violations.map(({ field, description }) => `${field}: ${description}`).join('; ')}`;
  }

  private async begin(
    published: PublishedEvent,
    { id: skillId, maxAttempts, concurrency }: SkillOptions,
  ): Promise<{ readonly taskId: string; readonly isNew: boolean }> {
    const { event, owner, tenant, client, subject, scopes, dialect, trace, isCounted, hops, isSimulated } = published;
    const message = messageOf(event, skillId);
    const digest = digestOfMessage(owner, client, message.messageId);
    const id = taskIdOfDigest(digest);
    // The mark of its message may have expired if events were not distributed for long.
    if ((await this.tasks.facts(owner, id)) !== undefined) return { taskId: id, isNew: false };
    const task: NewTask = {
      ...{ id, digest, owner, tenant, client, message, dialect, trace, isCounted, hops, requestHash: '' },
      ...(subject === '' ? {} : { subject }),
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(isSimulated === true ? { isSimulated, metadata: { [SIMULATED]: true } } : {}),
      routing: { skillId, maxAttempts, isLimited: concurrency !== undefined },
    };
    const { kind } = await this.tasks.create(task);
    return { taskId: id, isNew: kind === 'created' };
  }
}

function messageOf(
  { data, specversion: _version, datacontenttype: _type, ...event }: CloudEvent,
  skillId: string,
): Message {
  return {
    messageId: `${event.id}/${skillId}`,
    role: 'ROLE_USER',
    parts: [partOf(data ?? event.type)],
    metadata: { [EVENT_EXTENSION]: event },
  };
}

function partOf(data: unknown): Part {
  return typeof data === 'string' ? { text: data } : { data };
}

/** The log fields of the call that an event follows from. */
function fieldsOf(published: PublishedEvent): LineFields {
  return { ...callerFields(published), ...storedFields(published.trace.names) };
}
