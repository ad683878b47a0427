import type { JSX } from 'preact';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { Artifacts } from '../../parts/content/content.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Copy, StateBadge, TaskLink } from '../../parts/small.js';
import { type Question, questionsIn } from '../../api/questions.js';
import { QuestionForm } from '../../parts/form/question-form.js';
import type { Given } from '../../parts/form/use-answer.js';
import { Said } from './playground-parts.js';
import { isOpen, type Talk } from './talk.js';

interface Props {
  readonly talk: Talk & { readonly taskId: string };
  /** Whether it is a task of this agent. */
  readonly isOwn: boolean;
  readonly isBusy: boolean;
  readonly onAnswer: (question: Question, given: Given) => Promise<'answered'>;
  readonly onResume: () => void;
  readonly onAsk: (operation: OperationName) => void;
  /** Absent where the agent has no webhooks. */
  readonly onWebhook: (() => void) | undefined;
}

/** The task that the playground talks to: its messages, artifacts and further requests. */
export function TalkedTask({ talk, isOwn, isBusy, onAnswer, onResume, onAsk, onWebhook }: Props): JSX.Element {
  const { taskId, state, task, lastEventId } = talk;
  const message = task?.status.message;
  return (
    <section class="card pad stack" aria-label="Task">
      <div class="row">
        {state === undefined ? null : <StateBadge state={state} />}
        {isOwn ? (
          <TaskLink id={taskId} whole />
        ) : (
          <code>
            <Foreign text={taskId} />
          </code>
        )}
        <Copy text={taskId} what="the id of the task" />
      </div>
      <div class="row">
        <button type="button" class="button" disabled={isBusy} onClick={onResume}>
          {lastEventId === undefined ? 'Subscribe' : 'Resume the stream'}
        </button>
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => {
            onAsk('GetTask');
          }}
        >
          GetTask
        </button>
        {onWebhook === undefined ? null : (
          <button type="button" class="button" disabled={isBusy} onClick={onWebhook}>
            Webhook to a bin
          </button>
        )}
        {isOpen(talk) ? (
          <button
            type="button"
            class="button danger"
            disabled={isBusy}
            onClick={() => {
              onAsk('CancelTask');
            }}
          >
            CancelTask
          </button>
        ) : null}
      </div>
      <Said message={message} />
      {state === 'TASK_STATE_INPUT_REQUIRED'
        ? questionsIn(message).map((question) => (
            <QuestionForm
              key={question.id ?? message?.messageId ?? ''}
              version={message?.messageId}
              question={question}
              isSaid={question.id === undefined}
              send={(given) => onAnswer(question, given)}
              onAnswered={() => undefined}
            />
          ))
        : null}
      <Artifacts artifacts={task?.artifacts} />
    </section>
  );
}
