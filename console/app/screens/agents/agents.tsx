import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { type OwnAgent, readOwnAgent } from '../../api/a2a/own-agent.js';
import { send } from '../../api/request.js';
import { config } from '../../api/session/session.js';
import { useLoad } from '../../api/use-load.js';
import type { CardSkill } from '../../view/card.js';
import { CardCheck } from '../../parts/card/card-check.js';
import { About, CardTexts } from '../../parts/card/card-view.js';
import { Foreign, JsonText } from '../../parts/content/hostile-text.js';
import { Shown } from '../../parts/states.js';
import { Tabs } from '../../parts/tabs.js';
import { hrefOf, segments } from '../../router.js';
import { Registry } from './agents-registry.js';
import { RemoteAgents } from './agents-remote.js';
import type { ScreenProps } from '../screen-props.js';

const readText = async (path: string, signal: AbortSignal): Promise<string> => (await send(path, { signal })).text();

/** This agent, those that it calls, and the registry of others. */
export function AgentsScreen({ me }: ScreenProps): JSX.Element {
  const current = segments.value[1] ?? '';
  const { features = [], hasAgents = false } = config.value ?? {};
  const hasRegistry = features.includes('registry');
  const names = [
    ['', 'This agent'],
    ...(hasAgents ? [['remote', 'Called by this service']] : []),
    ...(hasRegistry ? [['registry', 'Registry']] : []),
  ];
  const tabs = names.map(([path = '', name = '']) => {
    return { name, href: hrefOf(path === '' ? '/agents' : `/agents/${path}`), isCurrent: path === current };
  });
  return (
    <>
      <header class="head">
        <h1>Agents</h1>
      </header>
      {tabs.length === 1 ? null : <Tabs label="Agents" tabs={tabs} />}
      {current === 'registry' && hasRegistry ? <Registry me={me} /> : null}
      {current === 'remote' && hasAgents ? <RemoteAgents /> : null}
      {current === '' ? <ThisAgent /> : null}
    </>
  );
}

/** This agent as callers see it: its card, the faults of it, and its skills with their contracts. */
function ThisAgent(): JSX.Element {
  const read = useLoad<OwnAgent>('/.well-known/agent-card.json', 0, readOwnAgent);
  return (
    <Shown of={read}>
      {({ card, text, older, ...check }) => (
        <>
          <About card={card} />
          <CardCheck {...check} />
          {(card.skills ?? []).map((skill, at) => (
            <Skill key={skill.id ?? at} skill={skill} />
          ))}
          <CardTexts texts={{ 'as A2A 1.0': text, 'for readers of older versions': older }} />
        </>
      )}
    </Shown>
  );
}

function Skill({ skill }: { readonly skill: CardSkill }): JSX.Element {
  const { id = '', name = '', description = '', tags = [] } = skill;
  const isOpen = useSignal(false);
  const contract = useLoad<string>(isOpen.value ? `/skills/${encodeURIComponent(id)}/schema` : undefined, 0, readText);
  return (
    <section class="card pad stack" aria-label={`Skill ${name}`}>
      <div class="row">
        <h2>
          <Foreign text={name} />
        </h2>
        <code>
          <Foreign text={id} />
        </code>
        <span class="small soft">
          <Foreign text={tags.join(', ')} />
        </span>
        <a class="button push" href={hrefOf('/tasks', { skill: id })}>
          Its tasks
        </a>
      </div>
      <p>
        <Foreign text={description} />
      </p>
      <details
        onToggle={({ currentTarget }) => {
          isOpen.value = currentTarget.open;
        }}
      >
        <summary>Contract</summary>
        {isOpen.value ? <Shown of={contract}>{(text) => <JsonText text={text} />}</Shown> : null}
      </details>
    </section>
  );
}
