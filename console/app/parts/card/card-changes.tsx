import type { JSX } from 'preact';
import { cardDiff } from '../../view/card-diff.js';
import { counted } from '../../view/format.js';
import { Foreign } from '../content/hostile-text.js';
import { Badge, Time } from '../small.js';

/** Changes of a card since the tenant has seen another one. */
export function CardChanges({
  before,
  now,
}: {
  readonly before: { readonly text: string; readonly at: string };
  readonly now: string;
}): JSX.Element {
  const changes = cardDiff(JSON.parse(before.text), JSON.parse(now));
  return (
    <section class="stack" aria-label="Changes of the card">
      <p class="row">
        <Badge tone={changes.length === 0 ? 'completed' : 'input'}>
          {changes.length === 0 ? 'Only its text has changed' : counted(changes.length, 'change')}
        </Badge>
        <span class="small soft">
          since the card that was seen <Time at={before.at} exact />
        </span>
      </p>
      <dl class="facts">
        {changes.map(({ path, before: was, now: is }) => (
          <div key={path} class="wide">
            <dt>
              <Foreign text={path} />
            </dt>
            <dd class="small">
              {was === undefined ? null : (
                <del>
                  <Foreign text={was} />
                </del>
              )}{' '}
              {is === undefined ? null : (
                <ins>
                  <Foreign text={is} />
                </ins>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
