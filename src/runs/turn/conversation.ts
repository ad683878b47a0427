import type { Message } from '@parley/protocol/model/message.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import type { Said, WantedConversation } from '@parley/sdk/skill/context/conversation.js';
import { turnContent, wholeParts } from '@parley/sdk/skill/content/turn-content.js';
import type { Policies } from '../../policy/policies.js';
import type { SkillRegistry } from '../../skill/skill.registry.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import type { TaskIndex } from '../../tasks/lists/task-index.js';
import { taskIdAt, taskOfContext } from '../../tasks/record/task-lists.js';
import { callRefusal } from '../calls/call-rights.js';

/** Tasks of a context that are read to find those that have ended. */
const MAX_READ = 60;
/** Bytes of their records. */
const MAX_BYTES = 1_048_576;
/** Characters of one message or answer, and of all. */
const MAX_SAID = 4_096;
const MAX_ALL = 65_536;

interface ConversationSources {
  readonly index: TaskIndex;
  readonly skills: SkillRegistry;
  readonly policies: Policies;
}

/** Whether a context can have other tasks: the service has made it for this task alone unless a caller named it. */
export function hasOtherTasks({ taskId, contextId }: Pick<ClaimedRun, 'taskId' | 'contextId'>): boolean {
  return taskOfContext(contextId) !== taskId;
}

/** The last ended tasks of a context as a conversation, oldest first: those of the owner of the run, and of no simulation. */
export async function conversationOf(
  { index, skills, policies }: ConversationSources,
  run: ClaimedRun,
  { last, of }: WantedConversation,
): Promise<readonly Said[]> {
  const { owner, contextId } = run;
  const part = { limit: MAX_READ, shown: { historyLength: -1, artifacts: true }, mostBytes: MAX_BYTES };
  const { tasks } = await index.list(owner, { contextId }, part);
  const others = tasks.filter(({ entry, task }) => task !== '' && taskIdAt(entry) !== run.taskId);
  const ended = others.map(({ task }) => JSON.parse(task) as Task).filter(isPast);
  const wanted = await Promise.all(
    ended.map(async (task) => {
      const skillId = (await index.traits(owner, task.id))?.skillId;
      const child = skillId === undefined ? undefined : skills.find(skillId)?.options;
      if (child === undefined || (of === 'agent' && child.id !== run.skillId)) return false;
      // The caller may have lost a right since.
      const parent = skills.runnable(run.skillId)?.options;
      return callRefusal({ run, parent, child }, policies) === undefined;
    }),
  );
  const exchanges = ended
    .filter((_task, at) => wanted[at] === true)
    .slice(0, last)
    .map(saidIn);
  return fitting(exchanges).reverse().flat();
}

function isPast({ status }: Task): boolean {
  return isTerminal(status.state) && status.message?.metadata?.[SIMULATED] !== true;
}

/** The youngest exchanges whose texts are no longer than allowed in sum. */
function fitting(exchanges: readonly (readonly Said[])[]): (readonly Said[])[] {
  let left = MAX_ALL;
  return exchanges.filter((exchange) => {
    left -= exchange.reduce((sum, { text }) => sum + text.length, 0);
    return left >= 0;
  });
}

/** The messages of a task, and its answer. */
function saidIn({ history = [], status, artifacts = [] }: Task): readonly Said[] {
  const messages = history.map(({ role, parts }) => said(role, parts));
  const isDone = status.state === 'TASK_STATE_COMPLETED';
  const answer = [...artifacts.flatMap(({ parts }) => wholeParts(parts)), ...(status.message?.parts ?? [])];
  const last = said('ROLE_AGENT', answer);
  const text = isDone ? last.text : `[${status.state.slice('TASK_STATE_'.length).toLowerCase()}] ${last.text}`.trim();
  return [...messages, { ...last, text }].filter((one) => one.text !== '');
}

function said(role: Message['role'], parts: Message['parts']): Said {
  const { text, data } = turnContent([{ parts }]);
  const all = [text, ...data.map((value) => JSON.stringify(value))].filter((one) => one !== '').join('\n');
  return {
    role: role === 'ROLE_AGENT' ? 'assistant' : 'user',
    text: all.length > MAX_SAID ? `${all.slice(0, MAX_SAID)} …` : all,
  };
}
