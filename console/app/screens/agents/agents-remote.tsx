import type { JSX } from 'preact';
import { useLoad } from '../../api/use-load.js';
import type { RemoteAgentRow } from '../../api/types.js';
import { ageText, numberText } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Badge, Time } from '../../parts/small.js';
import { Shown } from '../../parts/states.js';
import { hrefOf } from '../../router.js';

/** The agents that skills of this service call. */
export function RemoteAgents(): JSX.Element {
  const read = useLoad<{ readonly agents: readonly RemoteAgentRow[] }>('/platform/agents');
  return (
    <Shown of={read}>
      {({ agents }) => (
        <section class="card scroller" tabIndex={0} aria-label="Remote agents">
          <table>
            <thead>
              <tr>
                <th>Agent</th>
                <th>Card</th>
                <th>Calls</th>
                <th>Skills for callers</th>
                <th class="num">Under way</th>
                <th>Playground</th>
              </tr>
            </thead>
            <tbody>
              {agents.map((agent) => (
                <Row key={agent.name} agent={agent} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Shown>
  );
}

function Row({ agent: { name, card, exposed, known, gate } }: { readonly agent: RemoteAgentRow }): JSX.Element {
  return (
    <tr>
      <td>
        <a href={hrefOf('/tasks', { skill: `remote:${name}` })}>
          <Foreign text={name} />
        </a>
        {known === undefined ? null : (
          <div class="small soft">
            <Foreign text={known.name} /> <Foreign text={known.version} />
          </div>
        )}
      </td>
      <td>
        <code>
          <Foreign text={card} />
        </code>
        <div class="small soft">
          {known === undefined ? (
            'Not read in the last day'
          ) : (
            <>
              {known.skills.length === 1 ? '1 skill' : `${numberText(known.skills.length)} skills`}, read again after{' '}
              <Time at={known.freshUntil} exact />
            </>
          )}
        </div>
      </td>
      <td>
        <Gate gate={gate} />
      </td>
      <td class="mono small">{exposed.length === 0 ? '–' : <Foreign text={exposed.join(', ')} />}</td>
      <td class="num">{numberText(gate.underWay)}</td>
      <td>
        <a class="button plain" href={hrefOf('/playground', { agent: name })}>
          Try it
        </a>
      </td>
    </tr>
  );
}

function Gate({ gate: { failuresInARow, openUntil } }: Pick<RemoteAgentRow, 'gate'>): JSX.Element {
  if (openUntil !== undefined && openUntil > Date.now()) {
    return (
      <>
        <Badge tone="failed">Paused</Badge>{' '}
        <span class="small soft">tried again {ageText(new Date(openUntil).toISOString())}</span>
      </>
    );
  }
  if (failuresInARow > 0) return <Badge tone="input">{numberText(failuresInARow)} failed in a row</Badge>;
  return <Badge tone="completed">Good</Badge>;
}
