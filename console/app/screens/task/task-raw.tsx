import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { taskPath } from '../../api/paths.js';
import { Source } from '../../api/task-source.js';
import type { RawEvents, TaskDetails } from '../../api/types.js';
import { useLoad } from '../../api/use-load.js';
import { bytesText, numberText } from '../../view/format.js';
import { JsonText } from '../../parts/content/hostile-text.js';
import { Copy } from '../../parts/small.js';
import { Shown, StateBox } from '../../parts/states.js';
import { Snapshot } from './task-snapshot.js';

const PAGE = 25;

/** The stored events as they are. */
export function RawTab({ task, version }: { readonly task: TaskDetails; readonly version: number }): JSX.Element {
  const from = useSignal(Math.max(1, task.events - PAGE + 1));
  const { read } = useContext(Source);
  const shown = useSignal<number | undefined>(undefined);
  const path = `${taskPath(task.id)}/raw?from=${String(from.value)}&limit=${String(PAGE)}`;
  const page = useLoad<RawEvents>(path, 0, read);
  useEffect(() => {
    if (version > 0) page.reload();
  }, [version]);
  return (
    <>
      {shown.value === undefined ? null : (
        <Snapshot
          key={shown.value}
          id={task.id}
          seq={shown.value}
          onDone={() => {
            shown.value = undefined;
          }}
        />
      )}
      <section class="card" aria-label="Events">
        <Shown of={page}>
          {({ events }) => (
            <>
              <div class="pad row">
                <span class="soft small">
                  Events {numberText(from.value)} to {numberText(events.at(-1)?.seq ?? from.value)} of{' '}
                  {numberText(task.events)}
                </span>
                <button
                  type="button"
                  class="button"
                  disabled={from.value === 1}
                  onClick={() => {
                    from.value = Math.max(1, from.value - PAGE);
                  }}
                >
                  Earlier
                </button>
                <button
                  type="button"
                  class="button"
                  disabled={(events.at(-1)?.seq ?? 0) >= task.events}
                  onClick={() => {
                    from.value = (events.at(-1)?.seq ?? from.value) + 1;
                  }}
                >
                  Later
                </button>
              </div>
              {events.length === 0 ? <StateBox icon="none" title="These events are no longer stored" /> : null}
              <ol class="wire">
                {events.map(({ seq, nonce, bytes, text }) => (
                  <li key={seq}>
                    <div class="line">
                      <strong class="num">{numberText(seq)}</strong>
                      <code class="soft" title="The nonce of its writer">
                        {nonce}
                      </code>
                      <span class="soft">{bytesText(bytes)}</span>
                      <button
                        type="button"
                        class="button plain small"
                        onClick={() => {
                          shown.value = seq;
                        }}
                      >
                        State then
                      </button>
                      {text === undefined ? null : <Copy text={text} what={`event ${String(seq)}`} />}
                    </div>
                    {text === undefined ? (
                      <p class="soft small">Larger than what is shown here.</p>
                    ) : (
                      <JsonText text={text} />
                    )}
                  </li>
                ))}
              </ol>
            </>
          )}
        </Shown>
      </section>
    </>
  );
}
