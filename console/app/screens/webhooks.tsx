import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { postJson } from '../api/request.js';
import type { DeadLetterPage } from '../api/webhook-types.js';
import { ageText, counted, numberText } from '../format.js';
import { reasonText } from '../delivery-reason.js';
import { Confirm } from '../parts/dialog.js';
import { Foreign } from '../parts/hostile-text.js';
import { Polled } from '../parts/polled.js';
import { Badge, say, TaskLink, Time } from '../parts/small.js';
import { StateBox } from '../parts/states.js';
import { hrefOf, place, setQuery } from '../router.js';

/** Dead letters of the tenant and the receivers that they are for. */
export function WebhooksScreen(): JSX.Element {
  const { endpoint = '' } = place.value.query;
  const path = endpoint === '' ? '' : `?endpoint=${encodeURIComponent(endpoint)}`;
  const isAsking = useSignal(false);
  return (
    <Polled<DeadLetterPage> title="Webhooks" path={`/dead-letters${path}`} everyMs={5_000}>
      {(found, reload) => (
        <>
          {found.count === 0 ? (
            <section class="card">
              <StateBox
                icon="check"
                title={endpoint === '' ? 'Everything was delivered' : 'Nothing waits for this receiver'}
              >
                <p class="soft">
                  An event that could not be delivered after all its attempts is kept for 30 days and shown here.
                </p>
                {endpoint === '' ? null : (
                  <a class="button" href={hrefOf('/webhooks')}>
                    Show all receivers
                  </a>
                )}
              </StateBox>
            </section>
          ) : (
            <>
              <Receivers page={found} endpoint={endpoint} />
              <div class="head">
                <h2>
                  Dead letters
                  {endpoint === '' ? (
                    ''
                  ) : (
                    <>
                      {' '}
                      for <Foreign text={endpoint} />
                    </>
                  )}
                </h2>
                <span class="soft small">
                  {found.isCut ? '1,000 or more' : numberText(found.count)}
                  {found.deadLetters.length < found.count
                    ? `, the newest ${numberText(found.deadLetters.length)} are shown`
                    : ''}
                </span>
                <button
                  type="button"
                  class="button push"
                  onClick={() => {
                    isAsking.value = true;
                  }}
                >
                  Deliver {counted(found.count, 'letter')} again
                </button>
              </div>
              <Letters page={found} />
            </>
          )}
          {isAsking.value ? (
            <Confirm
              title={`Deliver ${counted(found.count, 'dead letter')} again?`}
              action="Deliver again"
              onDone={() => {
                isAsking.value = false;
              }}
              act={async (why) => {
                const filter = endpoint === '' ? {} : { endpoint };
                const { revived, gone } = await postJson<{ revived: number; gone: number }>(
                  '/dead-letters/redrive',
                  { ...filter, expected: found.count },
                  why,
                );
                say(
                  `${counted(revived, 'letter')} on the way${gone === 0 ? '.' : `; ${numberText(gone)} are gone with their tasks.`}`,
                );
                reload();
              }}
            >
              <p>
                {endpoint === '' ? (
                  'All receivers of the tenant'
                ) : (
                  <>
                    The receiver{' '}
                    <code>
                      <Foreign text={endpoint} />
                    </code>
                  </>
                )}
                . If others have come or gone meanwhile, nothing is sent.
              </p>
            </Confirm>
          ) : null}
        </>
      )}
    </Polled>
  );
}

function Receivers({ page, endpoint }: { readonly page: DeadLetterPage; readonly endpoint: string }): JSX.Element {
  return (
    <section class="card scroller" tabIndex={0} aria-label="Receivers">
      <table>
        <thead>
          <tr>
            <th>Receiver</th>
            <th>State</th>
            <th class="num">Dead letters</th>
            <th class="num">Failures in a row</th>
            <th class="num">Failing since</th>
            <th>Filter</th>
          </tr>
        </thead>
        <tbody>
          {page.receivers.map(({ origin, deadLetters, failuresInARow, failingSince, openUntil, disabled }) => (
            <tr key={origin}>
              <td class="mono">
                <Foreign text={origin} />
              </td>
              <td>
                {disabled !== undefined ? (
                  <>
                    <Badge tone="failed">Disabled</Badge>{' '}
                    <span class="soft">
                      <Foreign text={reasonText(disabled)} />
                    </span>
                  </>
                ) : openUntil !== undefined && openUntil > Date.now() ? (
                  <>
                    <Badge tone="input">Paused</Badge>{' '}
                    <span class="soft">tried again {ageText(new Date(openUntil).toISOString())}</span>
                  </>
                ) : (
                  <Badge tone={failuresInARow > 0 ? 'input' : 'completed'}>
                    {failuresInARow > 0 ? 'Failing, tried again' : 'Answers'}
                  </Badge>
                )}
              </td>
              <td class="num">{numberText(deadLetters)}</td>
              <td class="num">{numberText(failuresInARow)}</td>
              <td class="num">
                {failingSince === undefined ? '–' : <Time at={new Date(failingSince).toISOString()} />}
              </td>
              <td class="num">
                <button
                  type="button"
                  class="button plain"
                  onClick={() => {
                    setQuery({ endpoint: endpoint === origin ? undefined : origin });
                  }}
                >
                  {endpoint === origin ? 'Show all receivers' : 'Show only this receiver'}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const SCOPES = {
  event: 'One event',
  webhook: 'This event and all later ones',
  gap: 'Lost: cannot be delivered',
} as const;

function Letters({ page }: { readonly page: DeadLetterPage }): JSX.Element {
  return (
    <section class="card scroller" tabIndex={0} aria-label="Dead letters">
      <table>
        <thead>
          <tr>
            <th>Given up</th>
            <th>Task</th>
            <th>Receiver</th>
            <th>Reason</th>
            <th>What</th>
            <th class="num">Event</th>
            <th class="num">Attempts</th>
          </tr>
        </thead>
        <tbody>
          {page.deadLetters.map(({ name, at, taskId, origin, reason, scope, seq, attempts }) => (
            <tr key={name}>
              <td>
                <Time at={at} />
              </td>
              <td>
                <TaskLink id={taskId} />
              </td>
              <td class="mono">
                <Foreign text={origin} />
              </td>
              <td>
                <Foreign text={reasonText(reason)} />
              </td>
              <td>{SCOPES[scope]}</td>
              <td class="num">{numberText(seq)}</td>
              <td class="num">{numberText(attempts)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
