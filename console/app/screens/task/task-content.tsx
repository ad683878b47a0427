import type { JSX } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Message, TaskContent } from '../../api/content.js';
import { answer, questionsIn } from '../../api/questions.js';
import { taskPath } from '../../api/paths.js';
import { Source } from '../../api/task-source.js';
import type { TaskDetails } from '../../api/types.js';
import { type Loading, useLoad } from '../../api/use-load.js';
import { counted } from '../../view/format.js';
import { Artifacts, Parts } from '../../parts/content/content.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { QuestionForm } from '../../parts/form/question-form.js';
import { Shown, StateBox } from '../../parts/states.js';

interface Props {
  readonly task: TaskDetails;
  readonly version: number;
}

function useContent({ task, version }: Props): Loading<TaskContent> {
  const { read } = useContext(Source);
  const content = useLoad<TaskContent>(`${taskPath(task.id)}/content`, 0, read);
  useEffect(() => {
    if (version > 0) content.reload();
  }, [version]);
  return content;
}

/** Messages, turn by turn. */
export function ConversationTab(props: Props): JSX.Element {
  const content = useContent(props);
  const { isLive } = useContext(Source);
  return (
    <section class="card" aria-label="Conversation">
      <Shown of={content}>
        {({ trimmed, task }) => {
          const { history = [], artifacts = [], status } = task;
          const last = status.message;
          const isLastNew = last !== undefined && !history.some(({ messageId }) => messageId === last.messageId);
          const said = isLastNew ? [...history, last] : history;
          return (
            <div class="pad talk">
              {trimmed ? <p class="note">This task is large: its last 20 messages are shown.</p> : null}
              {said.length + artifacts.length === 0 ? <StateBox icon="none" title="Nothing was said" /> : null}
              {said.map((message, at) => (
                <Said key={`${message.messageId}-${String(at)}`} message={message} />
              ))}
              {artifacts.length === 0 ? null : (
                <article class="said agent">
                  <span class="who">Made</span>
                  <Artifacts artifacts={artifacts} />
                </article>
              )}
              {isLive && status.state === 'TASK_STATE_INPUT_REQUIRED'
                ? questionsIn(last).map((question) => (
                    <QuestionForm
                      key={question.id ?? last?.messageId ?? ''}
                      version={last?.messageId}
                      question={question}
                      isSaid={question.id === undefined}
                      send={(given) => answer({ taskId: task.id, contextId: task.contextId }, question, given)}
                      onAnswered={content.reload}
                    />
                  ))
                : null}
            </div>
          );
        }}
      </Shown>
    </section>
  );
}

function Said({ message }: { readonly message: Message }): JSX.Element {
  const isUser = message.role === 'ROLE_USER';
  return (
    <article class={`said ${isUser ? 'user' : 'agent'}`}>
      <span class="who">{isUser ? 'Caller' : 'Agent'}</span>
      <Parts parts={message.parts} />
    </article>
  );
}

/** Artifacts of the task. */
export function ArtifactsTab(props: Props): JSX.Element {
  const content = useContent(props);
  return (
    <Shown of={content}>
      {({ trimmed, task: { artifacts = [] } }) => {
        if (trimmed) {
          return (
            <section class="card">
              <StateBox icon="warn" title="Too large to show">
                <p class="soft">This task has more than 4 MiB. Its caller reads the artifacts with GetTask.</p>
              </StateBox>
            </section>
          );
        }
        if (artifacts.length === 0) {
          return (
            <section class="card">
              <StateBox icon="none" title="No artifacts">
                <p class="soft">The task has made none so far.</p>
              </StateBox>
            </section>
          );
        }
        return (
          <div class="stack">
            {artifacts.map(({ artifactId, name, description, parts = [] }) => (
              <section key={artifactId} class="card pad artifact">
                <div class="row">
                  <h2>
                    <Foreign text={name ?? artifactId} />
                  </h2>
                  <span class="small soft">
                    {name === undefined ? '' : <Foreign text={artifactId} />} {counted(parts.length, 'part')}
                  </span>
                </div>
                {description === undefined ? null : (
                  <p class="soft">
                    <Foreign text={description} />
                  </p>
                )}
                <Parts parts={parts} />
              </section>
            ))}
          </div>
        );
      }}
    </Shown>
  );
}
