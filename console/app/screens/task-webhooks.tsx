import type { JSX } from 'preact';
import type { TaskWebhooks } from '../api/webhook-types.js';
import type { Loading } from '../api/use-load.js';
import { answerText, reasonText } from '../delivery-reason.js';
import { bytesText, durationText, numberText } from '../format.js';
import { Foreign } from '../parts/hostile-text.js';
import { Badge, Time } from '../parts/small.js';
import { Shown, StateBox } from '../parts/states.js';

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
            <section class="card scroller" tabIndex={0} aria-label="Receivers">
              <table>
                <thead>
                  <tr>
                    <th>Webhook</th>
                    <th>Receiver</th>
                    <th>Events</th>
                    <th>State</th>
                  </tr>
                </thead>
                <tbody>
                  {found.map(({ id, receiver, events }) => {
                    const end = stopped.find(({ configId }) => configId === id);
                    return (
                      <tr key={id}>
                        <td>
                          <Foreign text={id} />
                        </td>
                        <td class="mono">
                          <Foreign text={receiver} />
                        </td>
                        <td>{events === undefined ? 'All' : <Foreign text={events.join(', ')} />}</td>
                        <td>
                          {end === undefined ? (
                            <Badge tone="completed">Active</Badge>
                          ) : (
                            <>
                              <Badge tone="failed">Stopped</Badge> <Foreign text={reasonText(end.reason)} />,{' '}
                              <Time at={end.at} />
                            </>
                          )}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </section>
            <section class="card scroller" tabIndex={0} aria-label="Attempts">
              <table>
                <thead>
                  <tr>
                    <th>When</th>
                    <th class="num">Event</th>
                    <th class="num">Attempt</th>
                    <th>Outcome</th>
                    <th>Answer</th>
                    <th>Webhook</th>
                    <th class="num">Size</th>
                    <th class="num">Took</th>
                  </tr>
                </thead>
                <tbody>
                  {attempts
                    .toReversed()
                    .map(({ at, configId, seq, attempt, outcome, status, reason, bytes, ms, webhookId }) => (
                      <tr key={`${webhookId}${at}${String(attempt)}`}>
                        <td>
                          <Time at={at} exact />
                        </td>
                        <td class="num">{numberText(seq)}</td>
                        <td class="num">{numberText(attempt)}</td>
                        <td>
                          <Badge tone={outcome === 'delivered' ? 'completed' : 'failed'}>{outcome}</Badge>
                        </td>
                        <td>
                          <Foreign text={answerText(status, reason)} />
                        </td>
                        <td>
                          <Foreign text={configId} />
                        </td>
                        <td class="num tight">{bytesText(bytes)}</td>
                        <td class="num tight">{durationText(ms)}</td>
                      </tr>
                    ))}
                </tbody>
              </table>
              {attempts.length === 0 ? <p class="pad soft">Nothing was sent yet.</p> : null}
            </section>
          </div>
        )
      }
    </Shown>
  );
}
