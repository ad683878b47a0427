import type { Policies } from '../../policy/policies.js';
import { CONTEXT_EXTENSION, contextOf, memoryOf } from '@parley/protocol/extension/context-extension.js';
import { bytesAsJson, type JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { HISTORY_EXTENSION } from '@parley/sdk/skill/artifacts/skill-artifacts.js';
import type { CallSpec } from '@parley/sdk/skill/calls/call.js';
import { readsOf } from '@parley/sdk/skill/contract/memory.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';

/** Context members inherited by every child (seed 2 § 10.3); not the user, nor members of a single message. */
const INHERITED = ['caller', 'on_behalf_of', 'request_id', 'trace_id', 'permissions'];
/** Bytes of the history passed to a child. */
const MAX_HISTORY_BYTES = 256 * 1024;

/**
 * The context of a child's message: first caller, trace and permissions; and of the parent's memory the keys that the
 * child's contract reads and the policy grants to the caller (O-11). Empty if the parent has no context.
 */
export function contextOfChild(
  run: Pick<ClaimedRun, 'history' | 'messages' | 'tenant' | 'client' | 'subject'>,
  child: Pick<SkillOptions, 'id' | 'memory'>,
  policies: Policies,
): Pick<Message, 'metadata'> {
  const [first] = run.history;
  const context = first && contextOf(first);
  if (first === undefined || context === undefined) return {};
  const kept = Object.entries(context).filter(([name]) => INHERITED.includes(name));
  const reads = readsOf(child);
  const declared = Object.entries(memoryOf([first, ...run.messages])).filter(([key]) => reads(key));
  const memory = policies.permitted(run, child.id, Object.fromEntries(declared));
  const lent = Object.keys(memory).length === 0 ? {} : { memory };
  return { metadata: { [CONTEXT_EXTENSION]: { ...Object.fromEntries(kept), ...lent } } };
}

/** The parent's history for a child (O-54), as metadata; undefined when it is too long. */
export function passedHistory(
  { history }: Pick<ClaimedRun, 'history'>,
  wanted: CallSpec['history'],
): JsonObject | undefined {
  if (wanted === undefined) return {};
  const passed = (wanted === 'last' ? history.slice(-1) : history).map(withoutPassed);
  return bytesAsJson(passed) > MAX_HISTORY_BYTES ? undefined : { [HISTORY_EXTENSION]: passed };
}

/** A message without its passed history and its context: a child gets the part that its contract names (O-11). */
function withoutPassed(message: Message): Message {
  const { metadata = {} } = message;
  if (!(HISTORY_EXTENSION in metadata) && !(CONTEXT_EXTENSION in metadata)) return message;
  const { [HISTORY_EXTENSION]: _passed, [CONTEXT_EXTENSION]: _context, ...own } = metadata;
  return { ...message, metadata: own };
}

/** Metadata extended by members; none if the result is empty. */
export function withMetadata({ metadata }: Pick<Message, 'metadata'>, more: JsonObject): Pick<Message, 'metadata'> {
  const all = { ...metadata, ...more };
  return Object.keys(all).length === 0 ? {} : { metadata: all };
}
