import type { ComponentChildren, JSX } from 'preact';
import { RequestFailed, Unreachable } from '../api/request.js';
import { usesKey } from '../api/session/session.js';
import type { Loading } from '../api/use-load.js';
import { hrefOf } from '../router.js';
import { Foreign } from './content/hostile-text.js';
import { Icon, type IconName } from './icons.js';

/** One of the states of a screen that has nothing to show: the reason, and the next step. */
export function StateBox({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="state-box">
      <h2>
        <Icon name={icon} size={20} />
        {title}
      </h2>
      {children}
    </div>
  );
}

export function Skeleton({ rows = 6 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="pad stack" aria-busy="true">
      <span class="hidden-text">Loading</span>
      {Array.from({ length: rows }, (_unused, at) => (
        <span key={at} class="bone" style={{ width: `${String(92 - ((at * 17) % 40))}%` }} />
      ))}
    </div>
  );
}

/** Why something cannot be shown, in the service's words. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry?: () => void }): JSX.Element {
  if (error instanceof RequestFailed && error.status === 403) return <Forbidden error={error} />;
  const again =
    retry === undefined ? null : (
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    );
  if (error instanceof RequestFailed && error.status === 404) {
    return (
      <StateBox icon="none" title="Not found">
        <p class="soft">
          <Foreign text={error.message} />. It may have been removed when its retention ended, or it belongs to another
          tenant.
        </p>
        <a class="button" href={hrefOf('/tasks')}>
          Go to the tasks
        </a>
      </StateBox>
    );
  }
  const title = error instanceof Unreachable ? 'The service does not answer' : 'This could not be read';
  return (
    <StateBox icon="warn" title={title}>
      <p class="soft">
        <Foreign text={error.message} />
      </p>
      {error instanceof RequestFailed && error.requestId !== undefined ? (
        <p class="small soft">
          The log of the service has more, under the request <code>{error.requestId}</code>.
        </p>
      ) : null}
      {again}
    </StateBox>
  );
}

function Forbidden({ error }: { readonly error: RequestFailed }): JSX.Element {
  return (
    <StateBox icon="lock" title="You may not see this">
      <p class="soft">
        <Foreign text={error.message} />
      </p>
      {error.scope === undefined ? null : (
        <p>
          The scope <code>{error.scope}</code> would allow it. Ask{' '}
          {usesKey() ? 'those who gave you the key or token' : 'those who run the issuer of your log-in'}.
        </p>
      )}
    </StateBox>
  );
}

/** Data of a screen, or the state that it is in instead. */
export function Shown<T>({
  of,
  rows,
  children,
}: {
  readonly of: Loading<T>;
  readonly rows?: number;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error } = of.state.value;
  if (error !== undefined && data === undefined) return <Failed error={error} retry={of.reload} />;
  if (data === undefined) return <Skeleton {...(rows === undefined ? {} : { rows })} />;
  return (
    <>
      {error === undefined ? null : (
        <p class="note bad">
          This is what was read before: <Foreign text={error.message} />
        </p>
      )}
      {children(data)}
    </>
  );
}
