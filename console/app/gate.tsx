import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { config, logIn, reason, takeKey } from './api/session/session.js';
import { errorOf } from './api/use-load.js';
import { Mark } from './mark.js';

/** Login form for users without a credential. */
export function Gate(): JSX.Element {
  const login = config.value?.login;
  return (
    <main class="gate">
      <div class="card">
        <div class="pad stack">
          <div class="row">
            <Mark />
            <h1>Parley console</h1>
          </div>
          {reason.value === '' ? null : <p class="note warn">{reason.value}</p>}
          {login?.kind === 'code' ? <ByIssuer issuer={login.issuer} /> : null}
          {login?.kind === 'key' ? <ByKey /> : null}
          {login === undefined ? (
            <button
              type="button"
              class="button"
              onClick={() => {
                location.reload();
              }}
            >
              Try again
            </button>
          ) : null}
        </div>
      </div>
    </main>
  );
}

function ByIssuer({ issuer }: { readonly issuer: string }): JSX.Element {
  const isBusy = useSignal(false);
  const begin = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await logIn();
    } catch (error) {
      reason.value = errorOf(error).message;
      isBusy.value = false;
    }
  };
  return (
    <>
      <p class="soft">
        You log in at <strong>{new URL(issuer).host}</strong> and come back here.
      </p>
      <button type="button" class="button main-action" disabled={isBusy.value} onClick={() => void begin()}>
        Log in
      </button>
    </>
  );
}

function ByKey(): JSX.Element {
  const text = useSignal('');
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        takeKey(text.value);
      }}
    >
      <label class="field">
        <span>API key or access token</span>
        <input
          type="password"
          autocomplete="off"
          required
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
      </label>
      <p class="small soft">It stays in this page, and is forgotten when you close or reload it.</p>
      <button type="submit" class="button main-action">
        Open the console
      </button>
    </form>
  );
}
