import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  /** Of its button. */
  readonly name: string;
  readonly children: ComponentChildren;
}

/** Content behind a button on a phone; wider windows always show it. */
export function Fold({ name, children }: Props): JSX.Element {
  const isOpen = useSignal(false);
  const id = useId();
  return (
    <div class={`fold${isOpen.value ? ' open' : ''}`}>
      <button
        type="button"
        class="button fold-button"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {name}
      </button>
      <div id={id} class="folded stack">
        {children}
      </div>
    </div>
  );
}
