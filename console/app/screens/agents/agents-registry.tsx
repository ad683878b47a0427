import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { act, ACTIONS, type EntryState, foundAgents, managedAgents, type RegistryAction } from '../../api/registry.js';
import type { RegistryAgent } from '../../api/registry.js';
import { useLoad } from '../../api/use-load.js';
import { counted, type Tone } from '../../view/format.js';
import { Confirm } from '../../parts/dialog.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Badge, Copy, say } from '../../parts/small.js';
import { Shown, StateBox } from '../../parts/states.js';
import { hrefOf, route, setQuery } from '../../router.js';
import type { ScreenProps } from '../screen-props.js';
import { hasScopes } from '../task/task-actions.js';

const STATES: Readonly<Record<EntryState, readonly [Tone, string]>> = {
  proposed: ['input', 'Waits for approval'],
  approved: ['completed', 'Approved'],
  suspended: ['canceled', 'Suspended'],
};
const HEALTH: Readonly<Record<string, Tone>> = { healthy: 'completed', failing: 'failed', stale: 'failed' };

/** Other people's agents: those that curators have approved, and for them and for owners those in all states. */
export function Registry({ me }: Pick<ScreenProps, 'me'>): JSX.Element {
  const isManaged = hasScopes(me, ['a2a:registry.register']);
  const words = route.value.query.q ?? '';
  const read = (path: string, signal: AbortSignal): Promise<readonly RegistryAgent[]> =>
    path === 'managed' ? managedAgents(signal) : foundAgents(path.slice('found '.length), signal);
  const agents = useLoad(isManaged && words === '' ? 'managed' : `found ${words}`, 0, read);
  const asked = useSignal<{ readonly action: RegistryAction; readonly agent: RegistryAgent } | undefined>(undefined);
  return (
    <>
      <label class="field">
        <span>Search</span>
        <input
          type="search"
          value={words}
          placeholder="What an agent can do"
          onChange={({ currentTarget }) => {
            setQuery({ q: currentTarget.value.trim() });
          }}
        />
      </label>
      <Shown of={agents}>
        {(found) => (
          <div class="stack">
            {found.length === 0 ? <Nothing isSearch={words !== ''} /> : null}
            {found.map((agent) => (
              <Agent
                key={agent.identifier}
                agent={agent}
                mayCurate={hasScopes(me, ['a2a:registry.curate'])}
                onAction={(action) => {
                  asked.value = { action, agent };
                }}
              />
            ))}
          </div>
        )}
      </Shown>
      {asked.value === undefined ? null : (
        <Asked
          {...asked.value}
          onDone={() => {
            asked.value = undefined;
          }}
          onChanged={agents.reload}
        />
      )}
    </>
  );
}

function Nothing({ isSearch }: { readonly isSearch: boolean }): JSX.Element {
  return (
    <section class="card">
      <StateBox icon="agents" title={isSearch ? 'No agent fits' : 'No agents yet'}>
        <p class="soft">
          {isSearch ? 'Try other words, or fewer.' : 'An agent is here once it was proposed to the registry.'}
        </p>
      </StateBox>
    </section>
  );
}

function Agent({
  agent,
  mayCurate,
  onAction,
}: {
  readonly agent: RegistryAgent;
  readonly mayCurate: boolean;
  readonly onAction: (action: RegistryAction) => void;
}): JSX.Element {
  const { identifier, name, version, description, url, skills, health, signature, managed } = agent;
  const [tone, word] = STATES[managed?.state ?? 'approved'];
  return (
    <section class="card pad stack" aria-label={`Agent ${name}`}>
      <div class="row">
        <h2>
          <Foreign text={name} />
        </h2>
        <span class="soft small">
          <Foreign text={version} />
        </span>
        <Badge tone={tone}>{word}</Badge>
        <Badge tone={HEALTH[health] ?? 'submitted'}>{health === 'healthy' ? 'Healthy' : `Health ${health}`}</Badge>
        <span class="soft small">signature {signature}</span>
      </div>
      <p class="soft">
        <Foreign text={description} />
      </p>
      <p class="small mono">
        <Foreign text={identifier} /> <Copy text={identifier} what="the identifier of the agent" />{' '}
        {(managed?.state ?? 'approved') === 'approved' ? (
          <a href={hrefOf('/playground', { agent: identifier })}>Try it</a>
        ) : null}
      </p>
      <p class="small">
        <Foreign text={url} />
        {managed === undefined ? null : (
          <span class="soft">
            , proposed by <Foreign text={managed.owner} />
          </span>
        )}
      </p>
      <p class="small soft">
        {counted(skills.length, 'skill')}: <Foreign text={skills.slice(0, 12).join(', ')} />
      </p>
      {managed === undefined || managed.changes.length === 0 ? null : (
        <p class="note warn">
          A newer card waits for an approval, since it changes: <Foreign text={managed.changes.join('; ')} />
        </p>
      )}
      {managed?.reason === undefined || health === 'healthy' ? null : (
        <p class="note bad">
          <Foreign text={managed.reason} />
        </p>
      )}
      {managed === undefined ? null : (
        <div class="row">
          {actionsOf(managed, mayCurate).map((action) => (
            <button
              key={action}
              type="button"
              class={`button${action === 'retire' ? ' danger' : action === 'approve' ? ' main-action' : ''}`}
              onClick={() => {
                onAction(action);
              }}
            >
              {ACTIONS[action]}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

/** Owners remove their agents and have their cards read; curators decide. */
function actionsOf(
  { state, changes }: NonNullable<RegistryAgent['managed']>,
  mayCurate: boolean,
): readonly RegistryAction[] {
  const needsApproval = state !== 'approved' || changes.length > 0;
  return [
    ...(mayCurate && needsApproval ? (['approve'] as const) : []),
    ...(['refresh'] as const),
    ...(mayCurate && state === 'approved' ? (['suspend'] as const) : []),
    ...(['retire'] as const),
  ];
}

const MEANINGS: Readonly<Record<RegistryAction, string>> = {
  approve:
    'Callers of the tenant find it then, with the card that is shown here. A card that changes in risky ways waits again.',
  suspend: 'Callers do not find it until it is approved again.',
  retire: 'It is removed from the registry. The log keeps that it was here.',
  refresh: 'Its card is read from its address now.',
};

function Asked({
  action,
  agent,
  onDone,
  onChanged,
}: {
  readonly action: RegistryAction;
  readonly agent: RegistryAgent;
  readonly onDone: () => void;
  readonly onChanged: () => void;
}): JSX.Element {
  return (
    <Confirm
      title={`${ACTIONS[action]}: ${agent.identifier}`}
      action={ACTIONS[action]}
      isSafe={action === 'approve' || action === 'refresh'}
      onDone={onDone}
      act={async (why) => {
        await act(action, agent, why);
        say('Done.');
        onChanged();
      }}
    >
      <p>{MEANINGS[action]}</p>
    </Confirm>
  );
}
