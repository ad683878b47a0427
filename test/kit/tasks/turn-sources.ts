import { EventFanOut } from '../../../src/agents/events/event-fan-out.js';
import { EventOutlet } from '../../../src/agents/events/event-outlet.js';
import { Policies } from '../../../src/policy/policies.js';
import { AuditLog } from '../../../src/audit/audit.log.js';
import { SkillRegistry } from '../../../src/skill/skill.registry.js';
import { LocalRuns } from '../../../src/runs/local-runs.js';
import type { WaitSources } from '../../../src/runs/calls/turn-waits.js';
import type { TaskStores } from './task-stores.js';

/** No rules. */
export const noPolicies = new Policies({}, new AuditLog({ write: () => undefined }));

/** What begins the tasks of subscribers among these skills. */
export function fanOutOf({ published, tasks, webhooks }: TaskStores, skills = new SkillRegistry([])): EventFanOut {
  return new EventFanOut(published, tasks, skills, noPolicies, new EventOutlet(webhooks));
}

/** A process without a free slot. */
class NoSlots extends LocalRuns {
  override readonly hasRoom = false;
  override takeSlot(): undefined {}
  override whenFull(): () => void {
    return () => undefined;
  }
}

/** What a turn needs beside its run, with the skills that it may call; wakes no workers. */
export function turnSources({ trees, questions }: TaskStores, skills = new SkillRegistry([])): WaitSources {
  const sendersOf = (): Promise<[]> => Promise.resolve([]);
  const of = { trees, questions, skills, policies: noPolicies, sendersOf };
  return { ...of, wake: () => undefined, local: new NoSlots(), idleMs: 0 };
}
