import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type AgentLook, type KnownAgent, knownAgents } from '../../api/a2a/other-agents.js';
import { config } from '../../api/session/session.js';
import { CardCheck } from '../../parts/card/card-check.js';
import { CardChanges } from '../../parts/card/card-changes.js';
import { About, CardTexts } from '../../parts/card/card-view.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { cut } from './playground-skills.js';

/** Chooses the agent that is talked to: this one (an empty text), one that the service knows, or one at a URL. */
export function AgentChoice({
  agent,
  onAgent,
}: {
  readonly agent: string;
  readonly onAgent: (agent: string) => void;
}): JSX.Element {
  const known = useSignal<readonly KnownAgent[]>([]);
  const isElsewhere = useSignal(/^https?:/.test(agent));
  const url = useSignal(isElsewhere.value ? agent : '');
  const { hasAgents = false, features = [] } = config.value ?? {};
  useEffect(() => {
    void knownAgents(hasAgents, features.includes('registry')).then((found) => {
      known.value = found;
    });
  }, []);
  const read = (): void => {
    if (url.value.trim() !== '') onAgent(url.value.trim());
  };
  return (
    <>
      <label class="field">
        <span>Agent</span>
        <select
          value={isElsewhere.value ? 'url' : agent}
          onChange={({ currentTarget: { value } }) => {
            isElsewhere.value = value === 'url';
            if (value !== 'url') onAgent(value);
          }}
        >
          <option value="">This agent</option>
          {known.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {cut(name)}
            </option>
          ))}
          <option value="url">At a URL …</option>
        </select>
      </label>
      {isElsewhere.value ? (
        <div class="field">
          <label for="agent-url">URL of the agent or its card</label>
          <input
            id="agent-url"
            type="url"
            placeholder="https://agent.example"
            value={url.value}
            onInput={({ currentTarget }) => {
              url.value = currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              read();
            }}
          />
          <div>
            <button type="button" class="button" onClick={read}>
              Read its card
            </button>
          </div>
        </div>
      ) : null}
    </>
  );
}

const CREDENTIALS = {
  none: 'No credential is sent to it: neither yours nor one of this service.',
  bearer: 'This service sends it the token of AGENTS_FILE, and not your credential.',
  apiKey: 'This service sends it the key of AGENTS_FILE, and not your credential.',
  oauth2: 'This service gets a token for it by AGENTS_FILE, and does not send your credential.',
} as const;

/** Inspection of another agent. */
export function AgentReport({ look }: { readonly look: AgentLook }): JSX.Element {
  if (!look.found) {
    return (
      <section class="card pad stack" aria-label="The agent">
        <p class="note bad">
          Its card could not be read: <Foreign text={look.why} />
        </p>
      </section>
    );
  }
  const { text, card, before, findings, signature, interfaces, credentials, url } = look;
  return (
    <details class="card pad stack">
      <summary>
        The agent: <Foreign text={card.name ?? url} />
      </summary>
      <About card={card} />
      <CardCheck findings={findings} signature={signature} interfaces={interfaces} />
      <p class="small">{CREDENTIALS[credentials]}</p>
      <p class="small soft">
        Its card is at <Foreign text={url} />. All texts of it are its publisher's.
      </p>
      {before === undefined ? null : <CardChanges before={before} now={text} />}
      <CardTexts texts={{ 'as received': text, 'as A2A 1.0': JSON.stringify(card) }} />
    </details>
  );
}
