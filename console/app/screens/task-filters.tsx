import type { JSX } from 'preact';
import { TASK_STATES } from '../../../src/protocol/task-state.js';
import type { StateCounts, TaskState } from '../api/types.js';
import { lookOf, numberText } from '../format.js';
import { ToneIcon } from '../parts/icons.js';
import { hrefOf, navigate, place, setQuery } from '../router.js';
import { slugOf, stateOfSlug } from '../state-slugs.js';

/** Since when, as the filter offers it. */
const SPANS = { '': 'Any time', '3600': 'Last hour', '86400': 'Last day', '604800': 'Last week' } as const;
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The number of tasks in each state; one of them may be chosen. */
export function States({ states }: { readonly states: StateCounts | undefined }): JSX.Element {
  const current = stateOfSlug(place.value.query.state);
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
        All <b>{states === undefined ? '–' : numberText(all)}</b>
      </button>
      {shown.map((state) => (
        <Chip key={state} state={state} count={states?.[state] ?? 0} isOn={state === current} />
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
  readonly count: number;
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
      {word} <b>{numberText(count)}</b>
    </button>
  );
}

export function Filters(): JSX.Element {
  const { skill = '', client = '', context = '', since = '' } = place.value.query;
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <label class="field">
        <span>Task</span>
        <input
          type="search"
          placeholder="Open by id"
          onInput={({ currentTarget }) => {
            const id = currentTarget.value.trim().toLowerCase();
            if (TASK_ID.test(id)) navigate(hrefOf(`/tasks/${id}`));
          }}
        />
      </label>
      <FilterText name="skill" label="Skill" value={skill} />
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
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        placeholder="Any"
        value={value}
        onChange={({ currentTarget }) => {
          setQuery({ [name]: currentTarget.value.trim() });
        }}
      />
    </label>
  );
}
