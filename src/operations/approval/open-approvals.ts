import { Injectable } from '@nestjs/common';
import { refusalOf } from '../../agents/questions/answer-judge.js';
import { neededOf } from '../../agents/questions/votes.js';
import { bytesAsJson, type JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { type Approvers, formSchemaIn, type OpenQuestion, type Vote } from '@parley/protocol/extension/questions.js';
import type { Principal } from '../../auth/principal.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import { QuestionStore } from '../../tasks/questions/question.store.js';
import { TenantIndex, type TenantTask } from '../../tasks/lists/tenant-index.js';

/** A question of the tenant for its approvers. Its text comes from an agent. */
export interface OpenApproval {
  /** `<task>:<turn>.<call>`, or `<task>:<turn>`: the question's id in an answer. */
  readonly id: string;
  /** The root of the asking tree. */
  readonly taskId: string;
  readonly contextId: string;
  readonly skill: string;
  /** The client that began the task. */
  readonly client: string;
  /** When the task asked, ISO 8601. */
  readonly asked: string;
  /** The skills and calls from the root to the asking task; absent for the root itself. */
  readonly path?: string;
  /** Deadline of the answer, ISO 8601; absent when only the task's own time limit applies. */
  readonly expires?: string;
  readonly text: string;
  readonly schema?: JsonObject;
  /** The persons who may answer; absent: everyone with the right to answer. */
  readonly approvers?: Approvers;
  /** Persons that must give the same answer. */
  readonly needed: number;
  /** The equal answers so far. */
  readonly votes: readonly Vote[];
  /**
   * The reason why this caller may not answer: it began the task (`four-eyes`), or has answered (`voted`). Absent when
   * it may.
   */
  readonly refused?: 'four-eyes' | 'voted';
}

export interface OpenApprovals {
  /** The nearest deadline first, then the oldest question. */
  readonly questions: readonly OpenApproval[];
  /** Open questions that name other approvers. */
  readonly others: number;
  /** Whether the list is incomplete. */
  readonly isCut: boolean;
}

/** Maximum asking tasks, questions and bytes of questions of one list. */
const MAX_TASKS = 200;
const MAX_QUESTIONS = 200;
const MAX_BYTES = 2 * 1_048_576;
/** Tasks per read. */
const PAGE = 25;

/**
 * Lists the questions of a tenant that a caller may answer, across owners. Omits logins: only the task's caller can do
 * them.
 */
@Injectable()
export class OpenApprovalsReader {
  constructor(
    private readonly index: TenantIndex,
    private readonly questions: QuestionStore,
  ) {}

  async of(caller: Principal): Promise<OpenApprovals> {
    const { tasks, next } = await this.index.list(caller.tenant, { state: 'TASK_STATE_INPUT_REQUIRED' }, MAX_TASKS);
    const found: OpenApproval[] = [];
    let [others, bytes, at] = [0, 0, 0];
    for (; at < tasks.length && found.length < MAX_QUESTIONS && bytes < MAX_BYTES; at += PAGE) {
      const page = await Promise.all(tasks.slice(at, at + PAGE).map((task) => this.ofTask(task, caller)));
      for (const view of page.flat()) {
        if (view === undefined) others += 1;
        else found.push(view);
      }
      bytes = bytesAsJson(found);
    }
    const isCut = at < tasks.length || next !== undefined || found.length > MAX_QUESTIONS;
    return { questions: found.sort(byDeadline).slice(0, MAX_QUESTIONS), others, isCut };
  }

  /** Undefined for a question to other approvers. */
  private async ofTask(task: TenantTask, caller: Principal): Promise<readonly (OpenApproval | undefined)[]> {
    const [root, asking] = await Promise.all([this.questions.root(task.id), this.questions.of(task.id, true)]);
    if (root === undefined) return [];
    const now = this.questions.now();
    const open = asking
      .flatMap(({ questions }) => questions)
      .filter(({ until, state }) => until > now && state === 'TASK_STATE_INPUT_REQUIRED');
    if (open.length === 0) return root.isShown ? [] : [endedView(task, root)];
    return open.map((question) => viewOf(task, question, caller));
  }
}

function viewOf(task: TenantTask, question: OpenQuestion, caller: Principal): OpenApproval | undefined {
  const { client, subject, scopes } = caller;
  const refused = refusalOf({ client, scopes, ...(subject === undefined ? {} : { subject }) }, question);
  if (refused === 'approvers') return undefined;
  const { id, taskId, path, parts, schema, until, approvers, votes = [] } = question;
  return {
    ...aboutTask(task, id),
    ...(taskId === task.id ? {} : { path }),
    ...(Number.isFinite(until) ? { expires: new Date(until).toISOString() } : {}),
    text: turnContent([{ parts }]).text,
    ...(schema === undefined ? {} : { schema }),
    ...(approvers === undefined ? {} : { approvers }),
    ...{ needed: neededOf(question), votes },
    ...(refused === undefined ? {} : { refused }),
  };
}

/** The question with which a task ended its turn: the text of its status, with the schema of a form in it. */
function endedView(
  task: TenantTask,
  { word, message }: { readonly word: { readonly turn: number }; readonly message: string },
): OpenApproval {
  const parts = message === '' ? [] : (JSON.parse(message) as Message).parts;
  const schema = formSchemaIn(parts);
  return {
    ...aboutTask(task, `${task.id}:${String(word.turn)}`),
    text: turnContent([{ parts }]).text,
    ...(schema === undefined ? {} : { schema }),
    ...{ needed: 1, votes: [] },
  };
}

function aboutTask({ id, contextId, skill, client, updated }: TenantTask, question: string): AboutTask {
  return { id: question, taskId: id, contextId, skill, client, asked: updated };
}
type AboutTask = Pick<OpenApproval, 'id' | 'taskId' | 'contextId' | 'skill' | 'client' | 'asked'>;

/** Order by the nearest deadline, those without one last; then by age. */
export function byDeadline(one: Deadline, other: Deadline): number {
  const [end, otherEnd] = [Date.parse(one.expires ?? NEVER), Date.parse(other.expires ?? NEVER)];
  return end === otherEnd ? Date.parse(one.asked) - Date.parse(other.asked) : end - otherEnd;
}
type Deadline = Pick<OpenApproval, 'expires' | 'asked'>;
const NEVER = '9999-01-01T00:00:00Z';
