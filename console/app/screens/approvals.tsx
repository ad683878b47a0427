import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { postJson, RequestFailed } from '../api/request.js';
import type { Approvers, Vote } from '@parley/protocol/extension/questions.js';
import type { Approval } from '../api/approval-types.js';
import type { MeView } from '../api/types.js';
import { taskPath } from '../api/paths.js';
import type { TaskContent } from '../api/content.js';
import { type Loading, useLoad } from '../api/use-load.js';
import { counted, numberText } from '../view/format.js';
import { Artifacts, Parts } from '../parts/content/content.js';
import { Foreign } from '../parts/content/hostile-text.js';
import { PolledHead } from '../parts/list/polled.js';
import { QuestionForm } from '../parts/form/question-form.js';
import { Badge, say, TaskLink, Time } from '../parts/small.js';
import { Shown, StateBox } from '../parts/states.js';
import { APPROVALS_EVERY_MS, type ScreenProps } from './screen-props.js';
import { mayReadContent } from './task/task-actions.js';

/** The questions of the tenant that the viewer may answer, of any client's tasks: the nearest deadline first. */
export function ApprovalsScreen({ approvals, me }: ScreenProps): JSX.Element {
  /** While the pointer is over the questions they stay in position, so that a click meets the intended button. */
  const isHeld = useRef(false);
  const shown = useRef<readonly Approval[]>([]);
  /** Answers of the viewer stay in the list until it is read again. */
  const answered = useRef(new Set<string>());
  const inPlace = (latest: readonly Approval[]): readonly Approval[] => {
    const byId = new Map(latest.map((question) => [question.id, question]));
    const kept = isHeld.current ? shown.current.map((question) => byId.get(question.id) ?? question) : [];
    for (const { id } of kept) byId.delete(id);
    shown.current = [...kept, ...byId.values()].filter((question) => !answered.current.has(keyOf(question)));
    return shown.current;
  };
  return (
    <>
      <PolledHead title="Approvals" everyMs={APPROVALS_EVERY_MS} />
      <Shown of={approvals}>
        {({ questions: latest, others, isCut }) => (
          <div
            class="stack"
            onPointerEnter={() => {
              isHeld.current = true;
            }}
            onPointerLeave={() => {
              isHeld.current = false;
            }}
          >
            {latest.length === 0 ? (
              <section class="card">
                <StateBox icon="check" title="No agent asks you">
                  <p class="soft">A question that you may answer appears here by itself.</p>
                </StateBox>
              </section>
            ) : null}
            {isCut ? <p class="note">Not all questions are shown: answer some to see the others.</p> : null}
            {inPlace(latest).map((question) => (
              <Asked
                key={keyOf(question)}
                question={question}
                me={me}
                onAnswered={() => {
                  answered.current.add(keyOf(question));
                  approvals.reload();
                }}
              />
            ))}
            {others === 0 ? null : (
              <p class="soft small">
                {counted(others, 'more question')} {others === 1 ? 'names' : 'name'} other approvers.
              </p>
            )}
          </div>
        )}
      </Shown>
    </>
  );
}

/** A question with one vote more is another one for its form. */
function keyOf({ id, votes }: Approval): string {
  return `${id} ${String(votes.length)}`;
}

const HOUR_MS = 3_600_000;

function Asked({
  question,
  me,
  onAnswered,
}: {
  readonly question: Approval;
  readonly me: Loading<MeView>;
  readonly onAnswered: () => void;
}): JSX.Element {
  const { id, taskId, skill, client, asked, expires, approvers, needed, votes, refused } = question;
  const isSoon = expires !== undefined && Date.parse(expires) - Date.now() < HOUR_MS;
  return (
    <section class="card pad stack" aria-label={`Question of task ${taskId.slice(0, 8)}`}>
      <div class="row">
        <h2>
          <Foreign text={skill} />
        </h2>
        <TaskLink id={taskId} />
        <span class="small soft">
          begun by <Foreign text={client} />, asked <Time at={asked} />
        </span>
        {isSoon ? <Badge tone="input">Ends soon</Badge> : null}
      </div>
      {approvers === undefined ? null : <Others approvers={approvers} />}
      {needed === 1 ? null : (
        <p class="small">
          {counted(needed, 'person')} must give the same answer. {votes.length === 0 ? 'There is no answer yet.' : ''}
        </p>
      )}
      {votes.map((vote) => (
        <Given key={nameOf(vote)} vote={vote} />
      ))}
      {mayReadContent(me) ? <Subject taskId={taskId} /> : null}
      <QuestionForm
        question={question}
        refusal={refused === undefined ? undefined : REFUSALS[refused]}
        mayGiveReason
        send={async ({ value, messageId, why }) => {
          const said = typeof value === 'string' ? { text: value } : { data: value };
          try {
            const path = `/tasks/${taskId}/answer`;
            const { outcome } = await postJson<Answered>(path, { questionId: id, messageId, ...said }, why);
            return outcome;
          } catch (error) {
            if (!(error instanceof RequestFailed) || error.status !== 409) throw error;
            const late = decidedBefore(error);
            // The list may be read meanwhile, and then the question is gone from it.
            say(late.message);
            throw late;
          }
        }}
        onAnswered={onAnswered}
      />
    </section>
  );
}

interface Answered {
  readonly outcome: 'answered' | 'recorded';
}

/** Permitted deciders: the viewer is one of them. */
function Others({
  approvers: { subjects, clients, scopes, fourEyes },
}: {
  readonly approvers: Approvers;
}): JSX.Element {
  const named = [...(subjects ?? []), ...(clients ?? [])].slice(0, SHOWN_APPROVERS).join(', ');
  const more = (subjects?.length ?? 0) + (clients?.length ?? 0) - SHOWN_APPROVERS;
  const said = [
    named === '' ? 'everybody' : `one of ${named}${more > 0 ? ` and ${numberText(more)} more` : ''}`,
    scopes === undefined || scopes.length === 0 ? '' : ` with the scope ${scopes.join(' and ')}`,
    fourEyes === true ? ', but not the caller that began the task' : '',
  ];
  return (
    <p class="small soft words">
      May decide: <Foreign text={said.join('')} />.
    </p>
  );
}

const SHOWN_APPROVERS = 10;

/** Input and artifacts of the task so far. Read when it is opened: the audit log records each reading of content. */
function Subject({ taskId }: { readonly taskId: string }): JSX.Element {
  const isOpen = useSignal(false);
  const content = useLoad<TaskContent>(isOpen.value ? `${taskPath(taskId)}/content` : undefined);
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>What the task was given and has made</summary>
      {isOpen.value ? (
        <Shown of={content} rows={3}>
          {({ task: { history = [], artifacts } }) => (
            <div class="stack pad">
              {history
                .filter(({ role }) => role === 'ROLE_USER')
                .map(({ messageId, parts }) => (
                  <Parts key={messageId} parts={parts} />
                ))}
              <Artifacts artifacts={artifacts} />
            </div>
          )}
        </Shown>
      ) : null}
    </details>
  );
}

const REFUSALS = {
  'four-eyes': 'You began this task: another person must answer.',
  voted: 'You have answered: another person must give the same answer.',
} as const;

function Given({ vote }: { readonly vote: Vote }): JSX.Element {
  return (
    <p class="note small">
      <Foreign text={nameOf(vote)} /> has answered <Time at={new Date(vote.at).toISOString()} />:{' '}
      <code>
        <Foreign text={typeof vote.value === 'string' ? vote.value : JSON.stringify(vote.value)} />
      </code>
    </p>
  );
}

function nameOf({ by: { client, subject } }: Vote): string {
  return subject ?? client;
}

/** The decision, its maker and its time, shown to a viewer whose answer came too late. */
function decidedBefore({ message, facts }: RequestFailed): Error {
  const { decidedAt, decision } = facts;
  const when = decidedAt === undefined ? '' : `, ${new Date(decidedAt).toLocaleString()}`;
  return new Error(`${message}${when}${decision === undefined ? '.' : `: ${decision}`}`);
}
