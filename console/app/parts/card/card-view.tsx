import type { JSX } from 'preact';
import type { Card } from '../../view/card.js';
import { counted } from '../../view/format.js';
import { Foreign, JsonText } from '../content/hostile-text.js';
import { Fact } from '../small.js';

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
