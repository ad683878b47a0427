import type { JSX } from 'preact';
import { postJson, RequestFailed } from '../api/request.js';
import type { Approval, VoteView } from '../api/types.js';
import { counted } from '../format.js';
import { Foreign } from '../parts/hostile-text.js';
import { PolledHead } from '../parts/polled.js';
import { QuestionForm } from '../parts/question-form.js';
import { Badge, say, TaskLink, Time } from '../parts/small.js';
import { Shown, StateBox } from '../parts/states.js';
import { APPROVALS_EVERY_MS, type ScreenProps } from './screen-props.js';

/** The questions of the tenant that the viewer may answer: the nearest deadline first, whoever began their tasks. */
export function ApprovalsScreen({ approvals }: ScreenProps): JSX.Element {
  return (
    <>
      <PolledHead title="Approvals" everyMs={APPROVALS_EVERY_MS} />
      <Shown of={approvals}>
        {({ questions, others, isCut }) => (
          <div class="stack">
            {questions.length === 0 ? (
              <section class="card">
                <StateBox icon="check" title="No agent asks you">
                  <p class="soft">A question that you may answer appears here by itself.</p>
                </StateBox>
              </section>
            ) : null}
            {isCut ? <p class="note">Not all questions are shown: answer some to see the others.</p> : null}
            {questions.map((question) => (
              <Asked
                key={`${question.id} ${String(question.votes.length)}`}
                question={question}
                onAnswered={approvals.reload}
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

const HOUR_MS = 3_600_000;

function Asked({
  question,
  onAnswered,
}: {
  readonly question: Approval;
  readonly onAnswered: () => void;
}): JSX.Element {
  const { id, taskId, skill, client, asked, expires, needed, votes, refused } = question;
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
      {needed === 1 ? null : (
        <p class="small">
          {counted(needed, 'person')} must give the same answer. {votes.length === 0 ? 'Nobody has answered yet.' : ''}
        </p>
      )}
      {votes.map((vote) => (
        <Given key={nameOf(vote)} vote={vote} />
      ))}
      <QuestionForm
        question={question}
        refusal={refused === undefined ? undefined : REFUSALS[refused]}
        mayGiveReason
        send={async (value, why) => {
          const said = typeof value === 'string' ? { text: value } : { data: value };
          const path = `/tasks/${taskId}/answer`;
          try {
            const { outcome } = await postJson<{ readonly outcome: 'answered' | 'recorded' }>(
              path,
              { questionId: id, messageId: crypto.randomUUID(), ...said },
              why,
            );
            return outcome === 'answered'
              ? 'The answer was taken.'
              : 'Your answer is recorded. Another person must give the same one.';
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

const REFUSALS = {
  'four-eyes': 'You began this task: another person must answer.',
  voted: 'You have answered: another person must give the same answer.',
} as const;

function Given({ vote }: { readonly vote: VoteView }): JSX.Element {
  return (
    <p class="note small">
      <Foreign text={nameOf(vote)} /> has answered <Time at={new Date(vote.at).toISOString()} />:{' '}
      <code>
        <Foreign text={typeof vote.value === 'string' ? vote.value : JSON.stringify(vote.value)} />
      </code>
    </p>
  );
}

function nameOf({ by: { client, subject } }: VoteView): string {
  return subject ?? client;
}

/** Who decided what and when, in place of the answer that came too late. */
function decidedBefore({ message, facts }: RequestFailed): Error {
  const { decidedAt, decision } = facts;
  const when = decidedAt === undefined ? '' : `, ${new Date(decidedAt).toLocaleString()}`;
  return new Error(`${message}${when}${decision === undefined ? '.' : `: ${decision}`}`);
}
