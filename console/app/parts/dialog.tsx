import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { errorOf } from '../api/use-load.js';

/** Asks before something is done that cannot be undone, and for the reason, which the audit log keeps. */
export function Confirm({
  title,
  action,
  isSafe = false,
  children,
  onDone,
  act,
}: {
  readonly title: string;
  /** The words of the button: what will be done. */
  readonly action: string;
  /** Whether it destroys nothing. */
  readonly isSafe?: boolean;
  readonly children: ComponentChildren;
  readonly act: (why: string) => Promise<void>;
  readonly onDone: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const why = useSignal('');
  const isBusy = useSignal(false);
  const failure = useSignal('');
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    failure.value = '';
    try {
      await act(why.value);
      onDone();
    } catch (error) {
      failure.value = errorOf(error).message;
      isBusy.value = false;
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onDone}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        <label class="field">
          <span>Reason, for the audit log (optional)</span>
          <input
            type="text"
            maxLength={200}
            value={why.value}
            onInput={(event) => {
              why.value = event.currentTarget.value;
            }}
          />
        </label>
        {failure.value === '' ? null : <p class="note bad">{failure.value}</p>}
        <div class="row">
          <button type="submit" class={`button ${isSafe ? 'main-action' : 'danger'}`} disabled={isBusy.value}>
            {action}
          </button>
          <button type="button" class="button plain" onClick={() => dialog.current?.close()}>
            Go back
          </button>
        </div>
      </form>
    </dialog>
  );
}
