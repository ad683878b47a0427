import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { clockAheadMs } from '../../api/feed/feed.js';
import { eventsPath, FIRST_EVENTS } from '../../api/paths.js';
import { Source } from '../../api/task-source.js';
import type { EventView } from '../../../../src/tasks/survey/event-view.js';
import type { EventPage, TaskDetails, TaskTree } from '../../api/types.js';
import type { TaskWebhooks } from '../../api/webhook-types.js';
import { type Loading, useLoad } from '../../api/use-load.js';
import { durationText, lookOf, now, numberText } from '../../view/format.js';
import { Check } from '../../parts/form/check.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Shown } from '../../parts/states.js';
import { hrefOf } from '../../router.js';
import { visible } from '../../view/unseen.js';
import { type Axis, axisOf, thinned } from '../../view/axis.js';
import { type Lane, lanesOf, type Piece } from '../../view/timeline.js';
import { Artifacts, List } from './timeline-list.js';

interface Props {
  readonly task: TaskDetails;
  readonly tree: Loading<TaskTree>;
  readonly webhooks: Loading<TaskWebhooks>;
  readonly version: number;
}

/** History of the task: a lane for each kind of event, and the same as a list. */
export function TimelineTab({ task, tree, webhooks, version }: Props): JSX.Element {
  const { read } = useContext(Source);
  const events = useLoad<EventPage>(eventsPath(task.id), 0, read);
  useEffect(() => {
    if (version > 0) events.reload();
  }, [version]);
  return (
    <Shown of={events}>
      {({ events: found }) => (
        <Timeline
          id={task.id}
          lanes={lanesOf({ task, events: found, tree: tree.state.value.data, webhooks: webhooks.state.value.data })}
          isOver={lookOf(task.state).isOver}
          isCut={(found[0]?.seq ?? 1) > 1}
          artifacts={found.filter(({ kind }) => kind === 'artifact')}
        />
      )}
    </Shown>
  );
}

function Timeline({
  id,
  lanes,
  isOver,
  isCut,
  artifacts,
}: {
  readonly id: string;
  readonly lanes: readonly Lane[];
  readonly isOver: boolean;
  readonly isCut: boolean;
  readonly artifacts: readonly EventView[];
}): JSX.Element {
  const collapses = useSignal(true);
  const onlyFailures = useSignal(false);
  const shown = onlyFailures.value
    ? lanes
        .map(({ name, pieces }) => ({ name, pieces: pieces.filter(({ isFailure = false }) => isFailure) }))
        .filter(({ pieces }) => pieces.length > 0)
    : lanes;
  const pieces = lanes.flatMap((lane) => lane.pieces);
  // Ended pieces do not move on with the clock.
  const time = isOver
    ? Math.max(...pieces.map(({ from, to = 0 }) => Math.max(from, to)))
    : now.value - clockAheadMs.value;
  const axis = axisOf(pieces, time, collapses.value);
  return (
    <div class="stack">
      <div class="options">
        <Check
          isSmall
          isOn={collapses.value}
          onChange={(isOn) => {
            collapses.value = isOn;
          }}
        >
          Shorten times in which nothing happened
        </Check>
        <Check
          isSmall
          isOn={onlyFailures.value}
          onChange={(isOn) => {
            onlyFailures.value = isOn;
          }}
        >
          Failures only
        </Check>
      </div>
      {isCut ? (
        <p class="note">The latest {numberText(FIRST_EVENTS)} events are drawn. Raw has all that are stored.</p>
      ) : null}
      <section class="card scroller" tabIndex={0} aria-label="Timeline">
        <div class="lanes">
          <div class="lane-name" />
          <div class="axis">
            {axis.ticks.map(({ at, text }) => (
              <span key={text} style={at > 75 ? { right: `${(100 - at).toFixed(3)}%` } : { left: `${at.toFixed(3)}%` }}>
                {text}
              </span>
            ))}
          </div>
          {shown.map((lane) => (
            <LaneRow key={lane.name} lane={thinned(lane, axis)} axis={axis} time={time} />
          ))}
        </div>
        {shown.length === 0 ? <p class="pad soft">Nothing has failed.</p> : null}
      </section>
      <List id={id} pieces={shown.flatMap((lane) => lane.pieces.map((piece) => ({ ...piece, lane: lane.name })))} />
      {artifacts.length === 0 || onlyFailures.value ? null : <Artifacts events={artifacts} />}
    </div>
  );
}

function LaneRow({
  lane,
  axis,
  time,
}: {
  readonly lane: Lane;
  readonly axis: Axis;
  readonly time: number;
}): JSX.Element {
  const rows = rowsOf(lane, axis, time);
  return (
    <>
      <div class="lane-name">{lane.name}</div>
      <div class="lane" style={{ height: `${String(0.875 + rows.length * 1.5)}rem` }}>
        {axis.gaps.map(({ from, to, ms }) => (
          <div
            key={from}
            class="gap"
            title={`${durationText(ms)} in which nothing happened`}
            style={{ left: `${from.toFixed(3)}%`, width: `${(to - from).toFixed(3)}%` }}
          />
        ))}
        {rows.map((pieces, row) =>
          pieces.map((piece) => <Mark key={piece.key} piece={piece} axis={axis} time={time} row={row} />),
        )}
      </div>
    </>
  );
}

/** Pieces that overlap go below each other, in as few rows as that takes; beyond six rows they share the last one. */
function rowsOf({ pieces }: Lane, axis: Axis, time: number): readonly (readonly Piece[])[] {
  const rows: { end: number; pieces: Piece[] }[] = [];
  for (const piece of [...pieces].sort((one, other) => one.from - other.from)) {
    const [begin, end] = [axis.at(piece.from), Math.max(axis.at(piece.to ?? time), axis.at(piece.from) + 0.8)];
    let row = rows.find((one) => one.end <= begin);
    if (piece.isMoment === true) row = rows[0];
    if (row === undefined && rows.length < 6) rows.push((row = { end: 0, pieces: [] }));
    row ??= rows.at(-1);
    row?.pieces.push(piece);
    if (row !== undefined) row.end = end;
  }
  return rows.map((row) => row.pieces);
}

function Mark({
  piece,
  axis,
  time,
  row,
}: {
  readonly piece: Piece;
  readonly axis: Axis;
  readonly time: number;
  readonly row: number;
}): JSX.Element {
  const { base } = useContext(Source);
  const { text, more, from, to, tone, isMoment = false, task, further = 0 } = piece;
  const left = axis.at(from);
  const title = further === 0 ? more : `${more}, and ${numberText(further)} more here`;
  if (isMoment)
    return <span class={`dot tone-${tone}`} title={visible(title)} style={{ left: `${left.toFixed(3)}%` }} />;
  const width = Math.max(0, axis.at(to ?? time) - left);
  const style = { left: `${left.toFixed(3)}%`, width: `${width.toFixed(3)}%`, top: `${String(0.4375 + row * 1.5)}rem` };
  const look = `bar ${tone === 'wait' ? 'wait' : `tone-${tone}`}${to === undefined ? ' open-ended' : ''}`;
  // Words that have no room are in the list below.
  const words = width > 7 ? text : '';
  if (task === undefined)
    return (
      <span class={look} title={visible(more)} style={style}>
        <Foreign text={words} />
      </span>
    );
  return (
    <a class={look} title={visible(more)} style={style} href={hrefOf(`${base}/${task}`)} aria-label={visible(more)}>
      <Foreign text={words} />
    </a>
  );
}
