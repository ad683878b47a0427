import { EventFanOut } from '../../../src/agents/events/event-fan-out.js';
import { EventOutlet } from '../../../src/agents/events/event-outlet.js';
import { Policies } from '../../../src/policy/policies.js';
import { AuditLog } from '../../../src/audit/audit.log.js';
import { SkillRegistry } from '../../../src/skill/skill.registry.js';
import type { WaitSources } from '../../../src/runs/calls/turn-waits.js';
import type { TaskStores } from './task-stores.js';

/** No rules. */
export const noPolicies = new Policies({}, new AuditLog({ write: () => undefined }));

/** What begins the tasks of subscribers among these skills. */
export function fanOutOf({ published, tasks, webhooks }: TaskStores, skills = new SkillRegistry([])): EventFanOut {
  return new EventFanOut(published, tasks, skills, noPolicies, new EventOutlet(webhooks));
}

/** What a turn needs beside its run, with the skills that it may call; wakes no workers. */
export function turnSources({ trees, questions }: TaskStores, skills = new SkillRegistry([])): WaitSources {
  const sendersOf = (): Promise<[]> => Promise.resolve([]);
  return { trees, questions, skills, policies: noPolicies, sendersOf, wake: () => undefined, idleMs: 0 };
}
