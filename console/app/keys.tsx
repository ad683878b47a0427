import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { goUp } from './router.js';

/** Keyboard shortcuts, outside of text fields. */
const KEYS = [
  ['/', 'Go to the search'],
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['Enter', 'Open the row'],
  ['Esc', 'Leave a field, or go back'],
  ['?', 'Show these keys'],
] as const;

const isHelpOpen = signal(false);

/** Follows keys until the returned function is called. */
export function watchKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const { activeElement } = document;
    if (isTypedIn(activeElement)) {
      if (event.key === 'Escape') activeElement.blur();
      return;
    }
    if (act(event.key)) event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => {
    document.removeEventListener('keydown', onKey);
  };
}

/** Whether the key did something. */
function act(key: string): boolean {
  switch (key) {
    case '/':
      return focusOn(openedSearch());
    case 'j':
      return focusOn(rowBeside(1));
    case 'k':
      return focusOn(rowBeside(-1));
    case 'Escape':
      goUp();
      return true;
    case '?':
      isHelpOpen.value = true;
      return true;
    default:
      return false;
  }
}

/** The search field of the page, unfolded on a phone. */
function openedSearch(): HTMLElement | null {
  const field = document.querySelector<HTMLElement>('main input[type=search]');
  const fold = field?.closest('.fold:not(.open)');
  fold?.classList.add('open');
  fold?.querySelector<HTMLElement>('.fold-button')?.click();
  return field;
}

function isTypedIn(element: Element | null): element is HTMLElement {
  return element instanceof HTMLElement && element.matches('input:not([type=checkbox]), textarea, select');
}

function focusOn(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element !== null && element !== undefined;
}

/** The link of the row behind or before the one that has the focus; the first row where none has it. */
function rowBeside(step: 1 | -1): HTMLElement | undefined {
  const links = [...document.querySelectorAll<HTMLElement>('main a.row-link')];
  const here = document.activeElement?.closest('tr')?.querySelector<HTMLElement>('a.row-link');
  const at = here === null || here === undefined ? -1 : links.indexOf(here);
  return links[at === -1 ? 0 : at + step];
}

/** The list of keys. */
export function KeyHelp(): JSX.Element | null {
  return isHelpOpen.value ? <Help /> : null;
}

function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="keys-title"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <form method="dialog" class="stack">
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">
          {KEYS.map(([key, what]) => (
            <div key={key} class="row">
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <div class="row">
          <button type="submit" class="button">
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}
