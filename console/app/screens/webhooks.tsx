import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { postJson } from '../api/request.js';
import type { DeadLetterPage } from '../api/webhook-types.js';
import { ageText, counted, numberText } from '../view/format.js';
import { reasonText } from '../view/delivery-reason.js';
import { Confirm } from '../parts/dialog.js';
import { Foreign } from '../parts/content/hostile-text.js';
import { Polled } from '../parts/list/polled.js';
import { Badge, say, TaskLink, Time } from '../parts/small.js';
import { StateBox } from '../parts/states.js';
import { Table } from '../parts/list/table.js';
import { hrefOf, route, setQuery } from '../router.js';

/** Dead letters of the tenant and the receivers that they are for. */
export function WebhooksScreen(): JSX.Element {
  const { endpoint = '' } = route.value.query;
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

type Receiver = DeadLetterPage['receivers'][number];

function Receivers({ page, endpoint }: { readonly page: DeadLetterPage; readonly endpoint: string }): JSX.Element {
  return (
    <Table
      label="Receivers"
      rows={page.receivers}
      keyOf={({ origin }) => origin}
      columns={[
        { name: 'Receiver', look: 'mono', cell: ({ origin }) => <Foreign text={origin} /> },
        { name: 'State', cell: (receiver) => <ReceiverState receiver={receiver} /> },
        { name: 'Dead letters', look: 'num', cell: ({ deadLetters }) => numberText(deadLetters) },
        { name: 'Failures in a row', look: 'num', cell: ({ failuresInARow }) => numberText(failuresInARow) },
        {
          name: 'Failing since',
          look: 'num',
          cell: ({ failingSince }) =>
            failingSince === undefined ? '–' : <Time at={new Date(failingSince).toISOString()} />,
        },
        {
          name: 'Filter',
          cell: ({ origin }) => (
            <button
              type="button"
              class="button plain"
              onClick={() => {
                setQuery({ endpoint: endpoint === origin ? undefined : origin });
              }}
            >
              {endpoint === origin ? 'Show all receivers' : 'Show only this receiver'}
            </button>
          ),
        },
      ]}
    />
  );
}

function ReceiverState({
  receiver: { disabled, openUntil, failuresInARow, deadLetters },
}: {
  readonly receiver: Receiver;
}): JSX.Element {
  if (disabled !== undefined) {
    return (
      <>
        <Badge tone="failed">Disabled</Badge>{' '}
        <span class="soft">
          <Foreign text={reasonText(disabled)} />
        </span>
      </>
    );
  }
  if (openUntil !== undefined && openUntil > Date.now()) {
    return (
      <>
        <Badge tone="input">Paused</Badge>{' '}
        <span class="soft">tried again {ageText(new Date(openUntil).toISOString())}</span>
      </>
    );
  }
  if (failuresInARow > 0) return <Badge tone="input">Failing, tried again</Badge>;
  // It answers, and yet has refused the events in its dead letters.
  return deadLetters > 0 ? <Badge tone="submitted">Answers</Badge> : <Badge tone="completed">Answers</Badge>;
}

const SCOPES = {
  event: 'One event',
  webhook: 'This event and all later ones',
  gap: 'Lost: cannot be delivered',
} as const;

function Letters({ page }: { readonly page: DeadLetterPage }): JSX.Element {
  return (
    <Table
      label="Dead letters"
      rows={page.deadLetters}
      keyOf={({ name }) => name}
      columns={[
        { name: 'Given up', cell: ({ at }) => <Time at={at} /> },
        { name: 'Task', cell: ({ taskId }) => <TaskLink id={taskId} /> },
        { name: 'Receiver', look: 'mono', cell: ({ origin }) => <Foreign text={origin} /> },
        { name: 'Reason', cell: ({ reason }) => <Foreign text={reasonText(reason)} /> },
        { name: 'What', cell: ({ scope }) => SCOPES[scope] },
        { name: 'Event', look: 'num', cell: ({ seq }) => numberText(seq) },
        { name: 'Attempts', look: 'num', cell: ({ attempts }) => numberText(attempts) },
      ]}
    />
  );
}
