import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { TaskRow } from '../../api/types.js';
import { bytesText, lookOf, numberText, shortId } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { StateBadge, Time } from '../../parts/small.js';
import { hrefOf, navigate } from '../../router.js';
import { visible } from '../../view/unseen.js';
import { whyText } from '../../view/why.js';

/** Spacer for rows that are not in the document. */
export function Gap({ height }: { readonly height: number }): JSX.Element {
  return (
    <tr aria-hidden="true" class="gap-row">
      <td colSpan={10} style={{ height: `${String(height)}px` }} />
    </tr>
  );
}

interface RowTraits {
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly mayCancel: boolean;
  /** Its number in the whole table, the heading being 1. */
  readonly index: number;
  readonly isFresh: boolean;
}

/** Rows that are kept after they have left the window. */
const KEPT_ROWS = 400;

/** Gives the element of a row that was drawn with the same traits again: such a row costs nothing while the table is scrolled. */
export function useDrawnRows(): (row: TaskRow, traits: RowTraits) => JSX.Element {
  const known = useRef(new Map<TaskRow, { readonly traits: RowTraits; readonly element: JSX.Element }>());
  return (row, traits) => {
    const { current } = known;
    const before = current.get(row);
    if (before !== undefined && isSame(before.traits, traits)) return before.element;
    const element = <Row key={row.id} row={row} {...traits} />;
    if (current.size > KEPT_ROWS) current.clear();
    current.set(row, { traits, element });
    return element;
  };
}

function isSame(one: RowTraits, other: RowTraits): boolean {
  return one.index === other.index && one.mayCancel === other.mayCancel && one.isFresh === other.isFresh;
}

function Row({ row, index, chosen, mayCancel, isFresh }: RowTraits & { readonly row: TaskRow }): JSX.Element {
  const why = whyText(row);
  const { id, state, skill, client, contextId, events, bytes, created, updated } = row;
  const isChosen = chosen.value.has(id);
  const toggle = (): void => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const href = hrefOf(`/tasks/${id}`);
  return (
    <tr
      role="row"
      aria-rowindex={index}
      class={`open-row${isChosen ? ' chosen' : ''}${isFresh ? ' fresh' : ''}`}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('a, input, button, label') === null) navigate(href);
      }}
    >
      {mayCancel ? (
        <td role="cell" class="choose">
          {lookOf(state).isOver ? null : (
            <input type="checkbox" checked={isChosen} aria-label={`Choose task ${shortId(id)}`} onChange={toggle} />
          )}
        </td>
      ) : null}
      <td role="cell" class="state">
        <StateBadge state={state} />
      </td>
      <td role="cell" class="cut skill" title={visible(skill)}>
        <a class="row-link" href={href}>
          {skill === '' ? 'No skill' : <Foreign text={skill} />}
        </a>
        {why === undefined ? null : (
          <span class="why" title={visible(why)}>
            <Foreign text={why} />
          </span>
        )}
      </td>
      <td role="cell" class="mono tight wide-only" title={id}>
        {shortId(id)}
      </td>
      <td role="cell" class="cut wide-only" title={visible(client)}>
        <Foreign text={client} />
      </td>
      <td role="cell" class="roomy-only mono tight" title={visible(contextId)}>
        <Foreign text={contextId.slice(0, 8)} />
      </td>
      <td role="cell" class="num wide-only">
        {numberText(events)}
      </td>
      <td role="cell" class="num wide-only tight">
        {bytesText(bytes)}
      </td>
      <td role="cell" class="num roomy-only">
        <Time at={created} />
      </td>
      <td role="cell" class="num updated">
        <Time at={updated} />
      </td>
    </tr>
  );
}
