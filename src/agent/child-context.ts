import type { Policies } from '../policy/policies.js';
import { CONTEXT_EXTENSION, contextOf, memoryOf } from '../protocol/context-extension.js';
import type { Message } from '../protocol/message.js';
import { readsOf } from '../skill/contract/memory.js';
import type { SkillOptions } from '../skill/skill.js';
import type { ClaimedRun } from '../task/run.store.js';

/** What of the context goes on to every child (seed 2 § 10.3); the user and what is of one sending do not. */
const GOES_ON = ['caller', 'on_behalf_of', 'request_id', 'trace_id', 'permissions'];

/**
 * The context of a child's message: who called first, in which trace, with which permissions; and of the memory that the
 * parent has, what the contract of the child reads and the policy lets the caller have (O-11). Nothing where the parent
 * has no context.
 */
export function contextOfChild(
  run: Pick<ClaimedRun, 'history' | 'messages' | 'tenant' | 'client' | 'subject'>,
  child: Pick<SkillOptions, 'id' | 'memory'>,
  policies: Policies,
): Pick<Message, 'metadata'> {
  const [first] = run.history;
  const context = first && contextOf(first);
  if (first === undefined || context === undefined) return {};
  const kept = Object.entries(context).filter(([name]) => GOES_ON.includes(name));
  const reads = readsOf(child);
  const declared = Object.entries(memoryOf([first, ...run.messages])).filter(([key]) => reads(key));
  const memory = policies.permitted(run, child.id, Object.fromEntries(declared));
  const lent = Object.keys(memory).length === 0 ? {} : { memory };
  return { metadata: { [CONTEXT_EXTENSION]: { ...Object.fromEntries(kept), ...lent } } };
}
