import type { JSX } from 'preact';
import { clearWire, wire, type WireEntry } from '../../api/a2a/a2a.js';
import { durationText } from '../../view/format.js';
import { Foreign, JsonText } from '../../parts/content/hostile-text.js';
import { Copy } from '../../parts/small.js';

/** Wire traffic, the newest first. */
export function WireLog(): JSX.Element {
  return (
    <section class="card" aria-label="Wire log">
      <div class="pad head">
        <h2>Wire</h2>
        <button type="button" class="button plain push" onClick={clearWire}>
          Clear
        </button>
      </div>
      {wire.value.length === 0 ? (
        <p class="pad soft">What is sent and received is shown here, with the command to send it again.</p>
      ) : null}
      <ol class="wire">
        {wire.value.toReversed().map((entry) => (
          <Entry key={entry.key} entry={entry} />
        ))}
      </ol>
    </section>
  );
}

const ARROWS = { sent: '→', received: '←', note: '·' } as const;

function Entry({ entry }: { readonly entry: WireEntry }): JSX.Element {
  const { direction, title, ms, eventId, headers, text, commands } = entry;
  return (
    <li>
      <div class="line">
        <span class="arrow" aria-label={direction}>
          {ARROWS[direction]}
        </span>
        <strong>
          <Foreign text={title} />
        </strong>
        {eventId === undefined ? null : <code class="soft">id: {eventId}</code>}
        {ms === undefined ? null : <span class="soft">{durationText(ms)}</span>}
        {commands === undefined ? null : (
          <span class="soft small">
            cURL <Copy text={commands.curl} what="the request as a cURL command" />
            {commands.parley === undefined ? null : (
              <>
                {' '}
                parley <Copy text={commands.parley} what="the request as a parley command" />
              </>
            )}{' '}
            JS <Copy text={commands.script} what="the request as JavaScript" />
          </span>
        )}
      </div>
      <WireTexts headers={headers} text={text} />
    </li>
  );
}

/** Headers and body of a message on the wire. */
export function WireTexts({
  headers,
  text,
}: {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly text: string | undefined;
}): JSX.Element {
  return (
    <>
      {headers === undefined ? null : (
        <details>
          <summary>Headers</summary>
          <pre class="code" tabIndex={0}>
            <Foreign
              text={Object.entries(headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
            />
          </pre>
        </details>
      )}
      {text === undefined ? null : (
        <details>
          <summary>{summaryOf(text)}</summary>
          <JsonText text={text} />
        </details>
      )}
    </>
  );
}

/** Summary of an event or an answer, in some words. */
function summaryOf(text: string): JSX.Element {
  const state = /"state":"TASK_STATE_(\w+)"/.exec(text)?.[1]?.toLowerCase().replaceAll('_', ' ');
  const kind = /"(statusUpdate|artifactUpdate|task|message|error)":/.exec(text)?.[1] ?? 'JSON';
  return (
    <>
      {kind}
      {state === undefined || kind === 'artifactUpdate' ? '' : `, ${state}`}{' '}
      <span class="soft">({text.length} characters)</span>
    </>
  );
}
