import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { errorOf } from '../api/use-load.js';
import { Foreign, Problem } from './content/hostile-text.js';

/** Whether a click is no second one of a double click, which may meet a button that has come under the pointer with the first. */
export function isFirstClick({ detail }: MouseEvent): boolean {
  return detail < 2;
}

/** Asks before something is done that cannot be undone, and for the reason, which the audit log keeps. */
export function Confirm({
  title,
  action,
  isSafe = false,
  asksReason = true,
  children,
  onDone,
  act,
}: {
  readonly title: string;
  /** Label of the button: the action. */
  readonly action: string;
  /** Whether it destroys nothing. */
  readonly isSafe?: boolean;
  /** Whether the reason is asked for here. */
  readonly asksReason?: boolean;
  readonly children: ComponentChildren;
  readonly act: (why: string) => Promise<void>;
  readonly onDone: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const back = useRef<HTMLButtonElement>(null);
  const why = useSignal('');
  const isBusy = useSignal(false);
  const failure = useSignal('');
  useEffect(() => {
    dialog.current?.showModal();
    // The key that has opened the dialog, held down, must not press the button that acts.
    if (!isSafe) back.current?.focus();
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy.peek()) return;
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
        <h2 id="dialog-title">
          <Foreign text={title} />
        </h2>
        {children}
        {asksReason ? (
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
        ) : null}
        <Problem text={failure.value} />
        <div class="row">
          <button
            type="submit"
            class={`button ${isSafe ? 'main-action' : 'danger'}`}
            disabled={isBusy.value}
            onClick={(event) => {
              if (!isFirstClick(event)) event.preventDefault();
            }}
          >
            <Foreign text={action} />
          </button>
          <button type="button" class="button plain" ref={back} onClick={() => dialog.current?.close()}>
            Go back
          </button>
        </div>
      </form>
    </dialog>
  );
}
