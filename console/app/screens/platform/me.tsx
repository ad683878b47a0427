import type { JSX } from 'preact';
import type { MeView } from '../../api/types.js';
import type { Loading } from '../../api/use-load.js';
import { Table } from '../../parts/list/table.js';
import { Preferences } from '../../parts/preferences.js';
import { Badge, Fact, Time } from '../../parts/small.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { Shown } from '../../parts/states.js';

const METHODS: Readonly<Record<string, string>> = {
  local: 'none: this machine is trusted',
  token: 'a token of an issuer',
  'api-key': 'an API key',
};

/** The viewer's identity and permissions. */
export function MeScreen({ me }: { readonly me: Loading<MeView> }): JSX.Element {
  return (
    <>
      <header class="head">
        <h1>Me</h1>
      </header>
      <Shown of={me}>
        {({ tenant, client, subject, method, owner, expires, scopes }) => (
          <>
            <section class="card pad">
              <dl class="facts">
                <Fact name="Tenant">
                  <Foreign text={tenant} />
                </Fact>
                <Fact name="Client">
                  <Foreign text={client} />
                </Fact>
                {subject === undefined ? null : (
                  <Fact name="Person">
                    <Foreign text={subject} />
                  </Fact>
                )}
                <Fact name="Proof">{METHODS[method] ?? method}</Fact>
                <Fact name="Tasks that I begin belong to">
                  <span class="mono">{owner}</span>
                </Fact>
                {expires === undefined ? null : (
                  <Fact name="This proof ends">
                    <Time at={expires} exact />
                  </Fact>
                )}
              </dl>
            </section>
            <section class="card pad narrow-only" aria-label="Appearance">
              <Preferences />
            </section>
            <Table
              label="Rights"
              rows={scopes}
              keyOf={({ name }) => name}
              columns={[
                {
                  name: 'Right',
                  cell: ({ name, text }) => (
                    <>
                      {text}
                      <div class="mono small soft">{name}</div>
                    </>
                  ),
                },
                {
                  name: 'Mine',
                  cell: ({ has }) => (has ? <Badge tone="completed">Yes</Badge> : <Badge tone="canceled">No</Badge>),
                },
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}
