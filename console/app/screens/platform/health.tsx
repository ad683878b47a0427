import type { JSX } from 'preact';
import type { HealthView } from '../../api/types.js';
import { clockAheadMs } from '../../api/feed/feed.js';
import { bytesText, counted, durationText } from '../../view/format.js';
import type { Tone } from '../../view/format.js';
import { Polled } from '../../parts/list/polled.js';
import { Badge } from '../../parts/small.js';

const LEVELS: Readonly<Record<'ok' | 'warn' | 'fail', readonly [Tone, string]>> = {
  ok: ['completed', 'Good'],
  warn: ['input', 'Check it'],
  fail: ['failed', 'Broken'],
};

/** State of the service's parts. */
export function HealthScreen(): JSX.Element {
  return (
    <Polled<HealthView>
      title="Health"
      path="/platform/health"
      everyMs={5_000}
      actions={({ reload }) => (
        <button type="button" class="button push" onClick={reload}>
          Check again
        </button>
      )}
    >
      {({ checks, redis, processes }) => (
        <>
          <section class="card" aria-label="Checks">
            <ul class="checks">
              {[...checks]
                .sort((one, other) => rank(other.level) - rank(one.level))
                .map(({ name, level, text }) => (
                  <li key={name}>
                    <span>
                      <Badge tone={LEVELS[level][0]}>{LEVELS[level][1]}</Badge>
                    </span>
                    <strong>{name}</strong>
                    <span class="soft">{text}</span>
                  </li>
                ))}
            </ul>
          </section>
          <dl class="stats">
            {redis.map(({ version, usedBytes, mostBytes, pingMs }, at) => (
              <div key={at} class="card stat">
                <dt>{version}</dt>
                <dd>
                  {bytesText(usedBytes)}{' '}
                  <small>
                    {mostBytes === 0 ? 'no bound' : `of ${bytesText(mostBytes)}`}, answers in {durationText(pingMs)}
                  </small>
                </dd>
              </div>
            ))}
            <div class="card stat">
              <dt>Processes</dt>
              <dd>{counted(processes.length, 'process')}</dd>
            </div>
            <div class="card stat">
              <dt>This clock</dt>
              <dd>
                {Math.abs(clockAheadMs.value) < 1_000 ? 'in step' : durationText(Math.abs(clockAheadMs.value))}{' '}
                <small>
                  {Math.abs(clockAheadMs.value) < 1_000
                    ? 'with the service'
                    : clockAheadMs.value > 0
                      ? 'ahead of the service'
                      : 'behind the service'}
                </small>
              </dd>
            </div>
          </dl>
        </>
      )}
    </Polled>
  );
}

function rank(level: 'ok' | 'warn' | 'fail'): number {
  return ['ok', 'warn', 'fail'].indexOf(level);
}
