import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Message } from '../api/content.js';
import { follow } from '../api/feed.js';
import { questionsIn } from '../api/questions.js';
import type { MeView, RawEvents, TaskPage, TaskRow } from '../api/types.js';
import { type Loading, useLoad } from '../api/use-load.js';
import { counted } from '../format.js';
import { Foreign } from '../parts/hostile-text.js';
import { Live } from '../parts/live.js';
import { QuestionForm } from '../parts/question-form.js';
import { StateBadge, TaskLink, Time } from '../parts/small.js';
import { Shown, StateBox } from '../parts/states.js';

const PATH = '/tasks?state=TASK_STATE_INPUT_REQUIRED&limit=50';

/** The questions that agents of the tenant ask, the oldest first: who has waited longest is answered first. */
export function ApprovalsScreen({ me }: { readonly me: Loading<MeView> }): JSX.Element {
  const page = useLoad<TaskPage>(PATH);
  useEffect(
    () =>
      follow('?state=TASK_STATE_INPUT_REQUIRED', {
        onOpen: () => undefined,
        onFrame: ({ tasks, gone, isMore }) => {
          if (tasks !== undefined || gone !== undefined || isMore === true) page.reload();
        },
      }),
    [],
  );
  const owner = me.state.value.data?.owner;
  return (
    <>
      <header class="head">
        <h1>Approvals</h1>
        <Live />
      </header>
      <Shown of={page}>
        {({ tasks, next }) =>
          tasks.length === 0 ? (
            <section class="card">
              <StateBox icon="check" title="No agent asks">
                <p class="soft">A task that needs an answer appears here by itself.</p>
              </StateBox>
            </section>
          ) : (
            <div class="stack">
              {next === undefined ? null : <p class="note">The newest 50 are shown: answer some to see the others.</p>}
              {tasks.toReversed().map((task) => (
                <Asking
                  key={`${task.id}-${String(task.events)}`}
                  task={task}
                  isMine={task.owner === owner}
                  onAnswered={page.reload}
                />
              ))}
            </div>
          )
        }
      </Shown>
    </>
  );
}

interface AskingProps {
  readonly task: TaskRow;
  readonly isMine: boolean;
  readonly onAnswered: () => void;
}

function Asking({ task, isMine, onAnswered }: AskingProps): JSX.Element {
  const { id, state, skill, client, updated, contextId, events } = task;
  const isOpen = useSignal(isMine);
  const latest = useLoad<RawEvents>(isOpen.value ? `/tasks/${id}/raw?from=${String(events)}&limit=1` : undefined);
  return (
    <section class="card pad stack" aria-label={`Task ${id.slice(0, 8)}`}>
      <div class="row">
        <StateBadge state={state} />
        <h2>
          <Foreign text={skill} />
        </h2>
        <TaskLink id={id} />
        <span class="small soft">
          of <Foreign text={client} />, asked <Time at={updated} />
        </span>
      </div>
      {isOpen.value ? (
        <Shown of={latest} rows={2}>
          {({ events: [event] }) => {
            const questions = questionsIn(messageIn(event?.text));
            if (!isMine) {
              return (
                <>
                  {questions.map(({ text }) => (
                    <p key={text} class="words">
                      <Foreign text={text} />
                    </p>
                  ))}
                  <p class="note">The caller that has begun this task answers it: it belongs to {task.owner}.</p>
                </>
              );
            }
            return (
              <>
                {questions.length > 1 ? <p class="soft small">{counted(questions.length, 'open question')}</p> : null}
                {questions.map((question) => (
                  <QuestionForm
                    key={question.id ?? 'only'}
                    task={{ taskId: id, contextId }}
                    question={question}
                    onAnswered={onAnswered}
                  />
                ))}
              </>
            );
          }}
        </Shown>
      ) : (
        <div>
          <button
            type="button"
            class="button"
            onClick={() => {
              isOpen.value = true;
            }}
          >
            Show what is asked
          </button>
        </div>
      )}
    </section>
  );
}

interface StatusEvent {
  readonly statusUpdate?: { readonly status?: { readonly message?: Message } };
}

function messageIn(text: string | undefined): Message | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as StatusEvent).statusUpdate?.status?.message;
}
