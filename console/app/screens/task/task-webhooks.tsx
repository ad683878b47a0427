import type { JSX } from 'preact';
import type { TaskWebhook, TaskWebhooks } from '../../api/webhook-types.js';
import type { Loading } from '../../api/use-load.js';
import { answerText, reasonText } from '../../view/delivery-reason.js';
import { bytesText, durationText, numberText } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Badge, Time } from '../../parts/small.js';
import { Shown, StateBox } from '../../parts/states.js';
import { Table } from '../../parts/list/table.js';

/** The webhooks of a task, and each attempt to deliver to them. */
export function WebhooksTab({ webhooks }: { readonly webhooks: Loading<TaskWebhooks> }): JSX.Element {
  return (
    <Shown of={webhooks}>
      {({ webhooks: found, attempts, stopped }) =>
        found.length === 0 && attempts.length === 0 ? (
          <section class="card">
            <StateBox icon="webhooks" title="No webhooks">
              <p class="soft">No caller has registered a webhook for this task.</p>
            </StateBox>
          </section>
        ) : (
          <div class="stack">
            <Table
              label="Receivers"
              rows={found}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Webhook', cell: ({ id }) => <Foreign text={id} /> },
                { name: 'Receiver', look: 'mono', cell: ({ receiver }) => <Foreign text={receiver} /> },
                {
                  name: 'Events',
                  cell: ({ events }) => (events === undefined ? 'All' : <Foreign text={events.join(', ')} />),
                },
                {
                  name: 'State',
                  look: 'whole',
                  cell: (webhook) => (
                    <State of={webhook} end={stopped.find(({ configId }) => configId === webhook.id)} />
                  ),
                },
              ]}
            />
            <Table
              label="Attempts"
              rows={attempts.toReversed()}
              keyOf={({ webhookId, at, attempt }) => `${webhookId}${at}${String(attempt)}`}
              columns={[
                { name: 'When', cell: ({ at }) => <Time at={at} exact /> },
                { name: 'Event', look: 'num', cell: ({ seq }) => numberText(seq) },
                { name: 'Attempt', look: 'num', cell: ({ attempt }) => numberText(attempt) },
                {
                  name: 'Outcome',
                  cell: ({ outcome }) => (
                    <Badge tone={outcome === 'delivered' ? 'completed' : 'failed'}>{outcome}</Badge>
                  ),
                },
                { name: 'Answer', cell: ({ status, reason }) => <Foreign text={answerText(status, reason)} /> },
                { name: 'Webhook', cell: ({ configId }) => <Foreign text={configId} /> },
                { name: 'Size', look: 'num', cell: ({ bytes }) => bytesText(bytes) },
                { name: 'Took', look: 'num', cell: ({ ms }) => durationText(ms) },
              ]}
            >
              {attempts.length === 0 ? <p class="pad soft">Nothing was sent yet.</p> : null}
            </Table>
          </div>
        )
      }
    </Shown>
  );
}

function State({
  of: { next },
  end,
}: {
  readonly of: TaskWebhook;
  readonly end: TaskWebhooks['stopped'][number] | undefined;
}): JSX.Element {
  if (end === undefined) {
    if (next === undefined) return <Badge tone="completed">Active</Badge>;
    return (
      <>
        <Badge tone="input">Tried again</Badge> next attempt <Time at={next} />
      </>
    );
  }
  return (
    <>
      <Badge tone="failed">Stopped</Badge> <Foreign text={reasonText(end.reason)} />, <Time at={end.at} />
    </>
  );
}
