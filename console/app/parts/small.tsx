import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { Source } from '../api/task-source.js';
import { ageText, exactText, fullTimeText, lookOf, shortId, timeMode, type Tone } from '../view/format.js';
import type { TaskState } from '../api/types.js';
import { hrefOf } from '../router.js';
import { Foreign } from './content/hostile-text.js';
import { Icon, ToneIcon } from './icons.js';

export function StateBadge({ state }: { readonly state: TaskState }): JSX.Element {
  const { word, tone } = lookOf(state);
  return <Badge tone={tone}>{word}</Badge>;
}

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): JSX.Element {
  return (
    <span class={`badge tone-${tone}`}>
      <ToneIcon tone={tone} />
      {children}
    </span>
  );
}

/** A time as the user wants it, with the exact one on hover, which is written then: it costs more than all else of a row. */
export function Time({ at, exact = false }: { readonly at: string; readonly exact?: boolean }): JSX.Element {
  const isExact = exact || timeMode.value === 'exact';
  return (
    <time
      class="tight"
      dateTime={at}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = fullTimeText(at);
      }}
    >
      {isExact ? exactText(at) : ageText(at)}
    </time>
  );
}

const toast = signal('');
let toastEnd: ReturnType<typeof setTimeout> | undefined;

/** Says something for some seconds. */
export function say(text: string): void {
  clearTimeout(toastEnd);
  toast.value = text;
  toastEnd = setTimeout(() => {
    toast.value = '';
  }, 5_000);
}

export function Toast(): JSX.Element {
  return (
    <div role="status" aria-live="polite">
      {toast.value === '' ? null : (
        <div class="toast">
          <Foreign text={toast.value} />
        </div>
      )}
    </div>
  );
}

export function Copy({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const isDone = useSignal(false);
  const copy = async (event: Event): Promise<void> => {
    event.stopPropagation();
    await navigator.clipboard.writeText(text);
    isDone.value = true;
    setTimeout(() => {
      isDone.value = false;
    }, 1_500);
  };
  return (
    <button
      type="button"
      class="icon-button"
      title={`Copy ${what}`}
      aria-label={`Copy ${what}`}
      onClick={(event) => void copy(event)}
    >
      <Icon name={isDone.value ? 'check' : 'copy'} size={14} />
    </button>
  );
}

export function TaskLink({ id, whole = false }: { readonly id: string; readonly whole?: boolean }): JSX.Element {
  const { base } = useContext(Source);
  return (
    <a class={whole ? 'mono' : 'mono tight'} href={hrefOf(`${base}/${id}`)} title={id}>
      {whole ? id : shortId(id)}
    </a>
  );
}

interface FactProps {
  readonly name: string;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export function Fact({ name, isWide = false, children }: FactProps): JSX.Element {
  return (
    <div class={isWide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
