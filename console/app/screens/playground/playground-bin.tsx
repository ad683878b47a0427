import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Bin, type Delivery, openBin, readBin } from '../../api/bin.js';
import { errorOf } from '../../api/use-load.js';
import { bytesText, numberText } from '../../view/format.js';
import { Check } from '../../parts/form/check.js';
import { Problem } from '../../parts/content/hostile-text.js';
import { Badge, Copy, TaskLink, Time } from '../../parts/small.js';
import { WireTexts } from './wire-log.js';

const EVERY_MS = 2_000;
/** As many as the service keeps. */
const KEPT = 50;

/** The viewer's bin once it was opened, and a webhook to it. */
export function useBin() {
  const bin = useSignal<Bin | undefined>(undefined);
  /** Its id is always the same: a task has one webhook to the bin, however often it is registered. */
  const webhook = async () => {
    bin.value = await openBin();
    return { id: 'bin', url: bin.value.url };
  };
  return { bin, webhook };
}

/** Whether a message brings a webhook to the bin along. */
export function BinChoice({ isOn }: { readonly isOn: Signal<boolean> }): JSX.Element {
  return (
    <Check
      isOn={isOn.value}
      onChange={(isNowOn) => {
        isOn.value = isNowOn;
      }}
    >
      With a webhook to a bin
    </Check>
  );
}

/** Webhook deliveries to the viewer's bin, the newest first. */
export function BinLog({ bin }: { readonly bin: Bin }): JSX.Element {
  const deliveries = useSignal<readonly Delivery[]>([]);
  const failure = useSignal('');
  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      if (!document.hidden) {
        const { deliveries: more } = await readBin(deliveries.peek().at(-1)?.no ?? 0, end.signal);
        if (more.length > 0) deliveries.value = [...deliveries.peek(), ...more].slice(-KEPT);
      }
      if (!end.signal.aborted) timer = setTimeout(next, EVERY_MS);
    };
    const next = (): void => {
      read().catch((error: unknown) => {
        if (!end.signal.aborted) failure.value = errorOf(error).message;
      });
    };
    failure.value = '';
    next();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [bin]);
  return (
    <section class="card" aria-label="Webhook bin">
      <div class="pad head">
        <h2>Webhook bin</h2>
        <Copy text={bin.url} what="the URL of the bin" />
        <span class="small soft">
          Open until <Time at={bin.expiresAt} exact />
        </span>
      </div>
      {deliveries.value.length > 0 ? null : (
        <p class="pad soft">What webhooks of your tasks deliver to the bin is shown here.</p>
      )}
      <Problem text={failure.value} />
      <ol class="wire">
        {deliveries.value.toReversed().map((delivery) => (
          <Delivered key={delivery.no} of={delivery} />
        ))}
      </ol>
    </section>
  );
}

function Delivered({ of: { taskId, seq, attempt, at, headers, body, bytes, isSigned } }: { readonly of: Delivery }) {
  // Texts of more than this are cut by the service.
  const isCut = bytes > new Blob([body]).size;
  return (
    <li>
      <div class="line">
        <strong>Event {numberText(seq)}</strong>
        <span class="soft">attempt {numberText(attempt)}</span>
        <Badge tone={isSigned ? 'completed' : 'failed'}>{isSigned ? 'Signature verified' : 'Signature wrong'}</Badge>
        <TaskLink id={taskId} />
        <Time at={at} exact />
        {isCut ? <span class="soft small">the beginning of {bytesText(bytes)}</span> : null}
      </div>
      <WireTexts headers={headers} text={body} />
    </li>
  );
}
