import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useContext } from 'preact/hooks';
import type { TaskContent } from '../../api/content.js';
import { taskPath } from '../../api/paths.js';
import { Source } from '../../api/task-source.js';
import { useLoad } from '../../api/use-load.js';
import { bytesText } from '../../view/format.js';
import { Artifacts, Parts } from '../../parts/content/content.js';
import { JsonText } from '../../parts/content/hostile-text.js';
import { Shown } from '../../parts/states.js';

interface StepContent {
  readonly bytes: number;
  readonly text?: string;
}

/** The result of a step, read when it is opened: the audit log has each reading of content. */
export function StepResult({
  task,
  step: { turn, name },
}: {
  readonly task: string;
  readonly step: { readonly turn: number; readonly name: string };
}): JSX.Element {
  const query = new URLSearchParams({ turn: String(turn), name });
  return (
    <Opened title="Result" path={`${taskPath(task)}/steps/content?${query.toString()}`}>
      {({ text, bytes }: StepContent) =>
        text === undefined ? (
          <p class="soft">{bytes === 0 ? 'Nothing is stored.' : `Too large to show: ${bytesText(bytes)}.`}</p>
        ) : (
          <JsonText text={text} />
        )
      }
    </Opened>
  );
}

/** Input and artifacts of a child. */
export function ChildContent({ id }: { readonly id: string }): JSX.Element {
  return (
    <Opened title="Input and result" path={`${taskPath(id)}/content`}>
      {({ task: { history = [], artifacts, status } }: TaskContent) => (
        <>
          {history.map(({ messageId, role, parts }) => (
            <div key={messageId} class="stack">
              <span class="small soft">{role === 'ROLE_USER' ? 'Input' : 'Said'}</span>
              <Parts parts={parts} />
            </div>
          ))}
          <Artifacts artifacts={artifacts} />
          <Parts parts={status.message?.parts} />
        </>
      )}
    </Opened>
  );
}

interface OpenedProps<T> {
  readonly title: string;
  readonly path: string;
  readonly children: (data: T) => ComponentChildren;
}

function Opened<T>({ title, path, children }: OpenedProps<T>): JSX.Element {
  const isOpen = useSignal(false);
  const { read } = useContext(Source);
  const content = useLoad<T>(isOpen.value ? path : undefined, 0, read);
  return (
    <details
      class="small"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{title}</summary>
      {isOpen.value ? (
        <Shown of={content} rows={2}>
          {(data) => <div class="stack">{children(data)}</div>}
        </Shown>
      ) : null}
    </details>
  );
}
