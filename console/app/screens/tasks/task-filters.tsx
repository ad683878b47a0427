import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { TASK_STATES } from '@parley/protocol/model/task-state.js';
import type { StateCounts, TaskRow, TaskState } from '../../api/types.js';
import { lookOf, numberText } from '../../view/format.js';
import { ToneIcon } from '../../parts/icons.js';
import { say } from '../../parts/small.js';
import { hrefOf, navigate, route, setQuery } from '../../router.js';
import { slugOf, stateOfSlug } from '../../view/state-slugs.js';

/** Since when, as the filter offers it. */
const SPANS = { '': 'Any time', '3600': 'Last hour', '86400': 'Last day', '604800': 'Last week' } as const;
/** Skills that the filter offers. */
const MAX_OFFERS = 100;
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The number of tasks in each state; one of them may be chosen. */
export function States({ states }: { readonly states: StateCounts | undefined }): JSX.Element {
  const current = stateOfSlug(route.value.query.state);
  // The counts are those of all tasks: beside a filtered list they would say something else.
  const { skill, client, context, since } = route.value.query;
  const isFiltered = [skill, client, context, since].some((one) => one !== undefined && one !== '');
  const all = Object.values(states ?? {}).reduce((sum, count) => sum + count, 0);
  const shown = TASK_STATES.filter((state) => states?.[state] !== undefined || state === current);
  return (
    <div class="chips" role="group" aria-label="States">
      <button
        type="button"
        class="chip tone-all"
        aria-pressed={current === undefined}
        onClick={() => {
          setQuery({ state: undefined });
        }}
      >
        All {isFiltered ? null : <b>{states === undefined ? '–' : numberText(all)}</b>}
      </button>
      {shown.map((state) => (
        <Chip
          key={state}
          state={state}
          count={isFiltered ? undefined : (states?.[state] ?? 0)}
          isOn={state === current}
        />
      ))}
    </div>
  );
}

function Chip({
  state,
  count,
  isOn,
}: {
  readonly state: TaskState;
  /** Undefined where it is not that of the list. */
  readonly count: number | undefined;
  readonly isOn: boolean;
}): JSX.Element {
  const { word, tone } = lookOf(state);
  return (
    <button
      type="button"
      class={`chip tone-${tone}`}
      aria-pressed={isOn}
      onClick={() => {
        setQuery({ state: isOn ? undefined : slugOf(state) });
      }}
    >
      <ToneIcon tone={tone} />
      {word} {count === undefined ? null : <b>{numberText(count)}</b>}
    </button>
  );
}

/** @param rows those that are listed: their skills are offered, and their ids are found by their beginnings */
export function Filters({ rows }: { readonly rows: readonly TaskRow[] }): JSX.Element {
  const searched = useSignal('');
  const { skill = '', client = '', context = '', since = '' } = route.value.query;
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const text = searched.value.trim().toLowerCase();
        if (text === '') return;
        const found = rows.filter(({ id }) => id.startsWith(text));
        const [only] = found;
        if (found.length === 1 && only !== undefined) navigate(hrefOf(`/tasks/${only.id}`));
        else
          say(
            found.length === 0
              ? `None of the ${numberText(rows.length)} listed tasks has an id that begins so.`
              : `${numberText(found.length)} of the listed tasks have ids that begin so: write more of it.`,
          );
      }}
    >
      <label class="field">
        <span>Task</span>
        <input
          type="search"
          placeholder="Id or its beginning"
          onInput={({ currentTarget }) => {
            searched.value = currentTarget.value;
            const id = currentTarget.value.trim().toLowerCase();
            if (TASK_ID.test(id)) navigate(hrefOf(`/tasks/${id}`));
          }}
        />
      </label>
      <FilterText
        name="skill"
        label="Skill"
        value={skill}
        offers={[...new Set(rows.map((row) => row.skill))].filter(Boolean).slice(0, MAX_OFFERS)}
      />
      <FilterText name="client" label="Client" value={client} />
      <FilterText name="context" label="Context" value={context} />
      <label class="field">
        <span>Updated</span>
        <select
          value={since}
          onChange={({ currentTarget }) => {
            setQuery({ since: currentTarget.value });
          }}
        >
          {Object.entries(SPANS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

function FilterText({
  name,
  label,
  value,
  offers = [],
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly offers?: readonly string[];
}): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        placeholder="Any"
        list={offers.length === 0 ? undefined : `offers-${name}`}
        value={value}
        onChange={({ currentTarget }) => {
          setQuery({ [name]: currentTarget.value.trim() });
        }}
      />
      {offers.length === 0 ? null : (
        <datalist id={`offers-${name}`}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
    </label>
  );
}
