import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { TASK_STATES } from '@parley/protocol/model/task-state.js';
import { readSkills } from '../../api/a2a/own-skills.js';
import { beginningPath } from '../../api/paths.js';
import { getJson } from '../../api/request.js';
import type { StateCounts, TaskPage, TaskRow, TaskState } from '../../api/types.js';
import { errorOf } from '../../api/use-load.js';
import { counted, lookOf, numberText } from '../../view/format.js';
import { ToneIcon } from '../../parts/icons.js';
import { say } from '../../parts/small.js';
import { hrefOf, navigate, route, setQuery } from '../../router.js';
import { slugOf, stateOfSlug } from '../../view/state-slugs.js';

/** Since when, as the filter offers it. */
const SPANS = { '': 'Any time', '3600': 'Last hour', '86400': 'Last day', '604800': 'Last week' } as const;
/** Skills that the filter offers. */
const MAX_OFFERS = 100;
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The number of tasks in each state that match the other filters; one state may be chosen. @param isCut whether there may be more */
export function States({
  states,
  isCut,
}: {
  readonly states: StateCounts | undefined;
  readonly isCut: boolean;
}): JSX.Element {
  const current = stateOfSlug(route.value.query.state);
  const all = Object.values(states ?? {}).reduce((sum, count) => sum + count, 0);
  const shown = TASK_STATES.filter((state) => states?.[state] !== undefined || state === current);
  const textOf = (count: number): string => `${numberText(count)}${isCut ? '+' : ''}`;
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
        All <b>{states === undefined ? '–' : textOf(all)}</b>
      </button>
      {shown.map((state) => (
        <Chip key={state} state={state} count={textOf(states?.[state] ?? 0)} isOn={state === current} />
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
  readonly count: string;
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
      {word} <b>{count}</b>
    </button>
  );
}

/** Tasks that a search for the beginning of an id reads. */
const MAX_FOUND = 10;

/** Opens the task whose id begins with a text, or says why not. */
async function search(text: string): Promise<void> {
  if (!/^[0-9a-f][0-9a-f-]{3,35}$/.test(text)) {
    say('An id has digits, the letters a to f and hyphens: write at least 4 of them.');
    return;
  }
  const { tasks, isCut } = await getJson<TaskPage>(beginningPath(text, MAX_FOUND));
  const [only] = tasks;
  if (tasks.length === 1 && only !== undefined && !isCut) navigate(hrefOf(`/tasks/${only.id}`));
  else if (tasks.length === 0) say(`No task has an id that begins with ${text}${isCut ? ', of those searched' : ''}.`);
  else
    say(
      `${isCut ? 'More than ' : ''}${counted(tasks.length, 'task')} have ids that begin with ${text}: write more of it.`,
    );
}

/** @param rows those that are listed: their skills are offered, beside those of the card */
export function Filters({ rows }: { readonly rows: readonly TaskRow[] }): JSX.Element {
  const skills = useSignal<readonly string[]>([]);
  const { skill = '', client = '', context = '', since = '' } = route.value.query;
  const isRead = useRef(false);
  const readOnce = (): void => {
    if (isRead.current) return;
    isRead.current = true;
    readSkills().then(
      (ids) => {
        skills.value = ids;
      },
      // Without the card those of the rows are offered.
      () => undefined,
    );
  };
  return (
    <form
      class="filters"
      role="search"
      onFocusIn={readOnce}
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <label class="field">
        <span>Task</span>
        <input
          type="search"
          placeholder="Id or its beginning"
          onInput={({ currentTarget }) => {
            const id = currentTarget.value.trim().toLowerCase();
            if (TASK_ID.test(id)) navigate(hrefOf(`/tasks/${id}`));
          }}
          onKeyDown={({ key, currentTarget }) => {
            const text = currentTarget.value.trim().toLowerCase();
            if (key !== 'Enter' || text === '') return;
            search(text).catch((error: unknown) => {
              say(errorOf(error).message);
            });
          }}
        />
      </label>
      <FilterText
        name="skill"
        label="Skill"
        value={skill}
        offers={[...new Set([...skills.value, ...rows.map((row) => row.skill)])].filter(Boolean).slice(0, MAX_OFFERS)}
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
