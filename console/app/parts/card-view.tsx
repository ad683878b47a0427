import type { JSX } from 'preact';
import type { Card, CardFault } from '../card-faults.js';
import { counted } from '../format.js';
import { Foreign, JsonText } from './hostile-text.js';
import { Badge, Fact } from './small.js';

/** An agent by its card. */
export function About({ card }: { readonly card: Card }): JSX.Element {
  const { name = '', version = '', description = '', supportedInterfaces = [], signatures = [] } = card;
  return (
    <section class="card pad stack" aria-label="About this agent">
      <h2>
        <Foreign text={name} />
      </h2>
      <p class="soft">
        <Foreign text={description} />
      </p>
      <dl class="facts">
        <Fact name="Version">
          <Foreign text={version} />
        </Fact>
        <Fact name="Signatures">{signatures.length === 0 ? 'None' : counted(signatures.length, 'signature')}</Fact>
        {supportedInterfaces.map(({ url = '', protocolBinding = '', protocolVersion = '' }, at) => (
          <Fact key={at} name={`${protocolBinding} ${protocolVersion}`} isWide>
            <code>
              <Foreign text={url} />
            </code>
          </Fact>
        ))}
      </dl>
    </section>
  );
}

/** What of a card is not as A2A 1.0 asks. */
export function Faults({ faults }: { readonly faults: readonly CardFault[] }): JSX.Element {
  return (
    <section class="card pad stack" aria-label="Check of the card">
      <div class="row">
        <h2>Check of the card</h2>
        <Badge tone={faults.length === 0 ? 'completed' : 'failed'}>
          {faults.length === 0 ? 'As A2A asks' : counted(faults.length, 'fault')}
        </Badge>
      </div>
      {faults.map(({ field, text }) => (
        <p key={field + text} class="small">
          <code>
            <Foreign text={field} />
          </code>{' '}
          {text}
        </p>
      ))}
    </section>
  );
}

/** A card as JSON, in each of the shapes that its readers get. */
export function CardTexts({ texts }: { readonly texts: Readonly<Record<string, string>> }): JSX.Element {
  return (
    <>
      {Object.entries(texts).map(([shape, text]) => (
        <details key={shape} class="card pad">
          <summary>The card as JSON, {shape}</summary>
          <JsonText text={text} />
        </details>
      ))}
    </>
  );
}
