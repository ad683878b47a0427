import type { JSX } from 'preact';
import type { CardFinding } from '@parley/protocol/card/card-finding.js';
import type { InterfaceLook, Signature } from '../../api/a2a/other-agents.js';
import { counted, type Tone } from '../../view/format.js';
import { Foreign } from '../content/hostile-text.js';
import { Badge } from '../small.js';

/** Findings that are shown; a card may have thousands. */
const SHOWN = 50;

const SEVERITIES: Readonly<Record<CardFinding['severity'], readonly [Tone, string]>> = {
  error: ['failed', 'Error'],
  warning: ['input', 'Warning'],
  note: ['submitted', 'Note'],
};
const SIGNATURES: Readonly<Record<Signature['outcome'], Tone>> = {
  verified: 'completed',
  unverifiable: 'failed',
  absent: 'submitted',
};
const REACHES: Readonly<Record<InterfaceLook['reach'], readonly [Tone, string]>> = {
  answers: ['completed', 'Answers'],
  silent: ['failed', 'Does not answer'],
  'not-tried': ['submitted', 'Not tried'],
};

/** Findings about a card: the rules that it breaks, its signers, and the interfaces that answer. */
export function CardCheck({
  findings,
  signature,
  interfaces,
}: {
  readonly findings: readonly CardFinding[];
  readonly signature: Signature;
  readonly interfaces: readonly InterfaceLook[];
}): JSX.Element {
  const count = (wanted: CardFinding['severity']): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  const [errors, warnings] = [count('error'), count('warning')];
  return (
    <section class="card pad stack" aria-label="Check of the card">
      <div class="row">
        <h2>Check of the card</h2>
        {errors > 0 ? <Badge tone="failed">{counted(errors, 'error')}</Badge> : null}
        {warnings > 0 ? <Badge tone="input">{counted(warnings, 'warning')}</Badge> : null}
        {errors + warnings === 0 ? <Badge tone="completed">As A2A asks</Badge> : null}
      </div>
      {findings.length === 0 ? null : (
        <ul class="findings">
          {findings.slice(0, SHOWN).map((finding, at) => (
            <Finding key={at} of={finding} />
          ))}
        </ul>
      )}
      {findings.length > SHOWN ? (
        <p class="small soft">and {counted(findings.length - SHOWN, 'more finding')}</p>
      ) : null}
      <p class="row small">
        <Badge tone={SIGNATURES[signature.outcome]}>Signature {signature.outcome}</Badge>
        <span class="soft">
          {signature.kid === undefined ? null : (
            <>
              by the key <Foreign text={signature.kid} />
            </>
          )}
          {signature.why}
        </span>
      </p>
      {interfaces.map((one, at) => (
        <Reach key={at} of={one} />
      ))}
    </section>
  );
}

function Finding({ of: { severity, rule, field, description } }: { readonly of: CardFinding }): JSX.Element {
  const [tone, name] = SEVERITIES[severity];
  return (
    <li class="row small">
      <Badge tone={tone}>{name}</Badge>
      <code class="soft">{rule}</code>
      <span>
        <code>
          <Foreign text={field} />
        </code>{' '}
        <Foreign text={description} />
      </span>
    </li>
  );
}

function Reach({ of: { url, protocolBinding, protocolVersion, reach, word } }: { readonly of: InterfaceLook }) {
  const [tone, name] = REACHES[reach];
  return (
    <p class="row small">
      <Badge tone={tone}>{name}</Badge>
      <Foreign text={`${protocolBinding} ${protocolVersion}`} />
      <code>
        <Foreign text={url} />
      </code>
      <span class="soft">
        <Foreign text={word} />
      </span>
    </p>
  );
}
