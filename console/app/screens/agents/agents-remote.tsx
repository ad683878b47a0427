import type { JSX } from 'preact';
import { useLoad } from '../../api/use-load.js';
import type { RemoteAgentRow } from '../../api/types.js';
import { ageText, counted, numberText } from '../../view/format.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Table } from '../../parts/list/table.js';
import { Badge, Time } from '../../parts/small.js';
import { Shown } from '../../parts/states.js';
import { hrefOf } from '../../router.js';

/** The agents that skills of this service call. */
export function RemoteAgents(): JSX.Element {
  const read = useLoad<{ readonly agents: readonly RemoteAgentRow[] }>('/platform/agents');
  return (
    <Shown of={read}>
      {({ agents }) => (
        <Table
          label="Remote agents"
          rows={agents}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Agent', cell: (agent) => <Name agent={agent} /> },
            { name: 'Card', look: 'whole', cell: (agent) => <Card agent={agent} /> },
            { name: 'Calls', cell: ({ gate }) => <Gate gate={gate} /> },
            {
              name: 'Skills for callers',
              cell: ({ exposed }) => (exposed.length === 0 ? '–' : <Foreign text={exposed.join(', ')} />),
            },
            { name: 'Under way', look: 'num', cell: ({ gate }) => numberText(gate.underWay) },
            {
              name: 'Playground',
              cell: ({ name }) => (
                <a class="button plain" href={hrefOf('/playground', { agent: name })}>
                  Try it
                </a>
              ),
            },
          ]}
        />
      )}
    </Shown>
  );
}

interface AgentProps {
  readonly agent: RemoteAgentRow;
}

function Name({ agent: { name, known } }: AgentProps): JSX.Element {
  return (
    <>
      <a href={hrefOf('/tasks', { skill: `remote:${name}` })}>
        <Foreign text={name} />
      </a>
      {known === undefined ? null : (
        <div class="small soft">
          <Foreign text={known.name} /> <Foreign text={known.version} />
        </div>
      )}
    </>
  );
}

function Card({ agent: { card, known } }: AgentProps): JSX.Element {
  return (
    <>
      <code>
        <Foreign text={card} />
      </code>
      <div class="small soft">
        {known === undefined ? (
          'Not read in the last day'
        ) : (
          <>
            {counted(known.skills.length, 'skill')}, read again after <Time at={known.freshUntil} exact />
          </>
        )}
      </div>
    </>
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
