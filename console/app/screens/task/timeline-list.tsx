import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { EventView } from '../../../../src/tasks/survey/event-view.js';
import { durationText, numberText } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Badge, TaskLink, Time } from '../../parts/small.js';
import { Table } from '../../parts/list/table.js';
import type { Piece } from '../../view/timeline.js';
import { ChildContent, StepResult } from './task-expand.js';

/** Rows of the list that are shown at first. */
const LISTED = 100;

/** The timeline as a list. */
export function List({
  id,
  pieces,
}: {
  readonly id: string;
  readonly pieces: readonly (Piece & { readonly lane: string })[];
}): JSX.Element | null {
  const isWhole = useSignal(false);
  if (pieces.length === 0) return null;
  const sorted = [...pieces].sort((one, other) => one.from - other.from);
  const begin = sorted[0]?.from ?? 0;
  const hidden = isWhole.value ? 0 : Math.max(0, sorted.length - LISTED);
  return (
    <>
      {hidden === 0 ? null : (
        <div>
          <button
            type="button"
            class="button"
            onClick={() => {
              isWhole.value = true;
            }}
          >
            Show {numberText(hidden)} earlier
          </button>
        </div>
      )}
      <Table
        label="The timeline as a list"
        rows={sorted.slice(hidden)}
        keyOf={({ lane, key }) => `${lane}${key}`}
        columns={[
          { name: 'When', cell: ({ from }) => <Time at={new Date(from).toISOString()} exact /> },
          { name: 'After', look: 'num', cell: ({ from }) => `+${durationText(from - begin)}` },
          { name: 'What', look: 'tight', cell: ({ lane }) => <span class="soft">{lane}</span> },
          { name: 'Details', look: 'whole', cell: (piece) => <Details id={id} piece={piece} /> },
          {
            name: 'Took',
            look: 'num',
            cell: ({ isMoment, from, to }) =>
              isMoment === true ? '' : to === undefined ? 'continues' : durationText(to - from),
          },
        ]}
      />
    </>
  );
}

function Details({
  id,
  piece: { lane, more, text, tone, task, said, of, step },
}: {
  readonly id: string;
  readonly piece: Piece & { readonly lane: string };
}): JSX.Element {
  return (
    <>
      {lane === 'States' && tone !== 'wait' ? <Badge tone={tone}>{text}</Badge> : <Foreign text={more} />}
      {of === undefined ? null : (
        <span class="soft">
          {' '}
          <Foreign text={of} />
        </span>
      )}
      {task === undefined ? null : (
        <>
          {' '}
          <TaskLink id={task} />
        </>
      )}
      {said === undefined ? null : (
        <div class={tone === 'failed' || tone === 'rejected' ? 'why words' : 'soft words'}>
          <Foreign text={said} />
        </div>
      )}
      {step === undefined ? null : <StepResult task={id} step={step} />}
      {lane === 'Children' && task !== undefined ? <ChildContent id={task} /> : null}
    </>
  );
}

/** Artifacts by their pieces. */
export function Artifacts({ events }: { readonly events: readonly EventView[] }): JSX.Element {
  const pieces = new Map<string, { count: number; bytes: number }>();
  for (const { artifactId = '', bytes } of events) {
    const before = pieces.get(artifactId) ?? { count: 0, bytes: 0 };
    pieces.set(artifactId, { count: before.count + 1, bytes: before.bytes + bytes });
  }
  return (
    <p class="small soft">
      <Foreign
        text={[...pieces]
          .map(
            ([id, { count, bytes }]) =>
              `${id}: ${numberText(count)} ${count === 1 ? 'piece' : 'pieces'}, ${numberText(bytes)} bytes`,
          )
          .join(' · ')}
      />
    </p>
  );
}
