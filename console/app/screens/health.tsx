import type { JSX } from 'preact';
import type { HealthView } from '../api/types.js';
import { clockAheadMs } from '../api/feed.js';
import { useLoad } from '../api/use-load.js';
import { bytesText, counted, durationText } from '../format.js';
import type { Tone } from '../format.js';
import { Badge } from '../parts/small.js';
import { Shown } from '../parts/states.js';

const LEVELS: Readonly<Record<'ok' | 'warn' | 'fail', readonly [Tone, string]>> = {
  ok: ['completed', 'Good'],
  warn: ['input', 'Look at it'],
  fail: ['failed', 'Broken'],
};

/** What works and what does not. */
export function HealthScreen(): JSX.Element {
  const health = useLoad<HealthView>('/platform/health', 5_000);
  return (
    <>
      <header class="head">
        <h1>Health</h1>
        <span class="soft small">Read every 5 s</span>
        <button type="button" class="button push" onClick={health.reload}>
          Check again
        </button>
      </header>
      <Shown of={health}>
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
                  <dt>Redis {version}</dt>
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
                <dd>{counted(processes.length, 'process').replace('processs', 'processes')}</dd>
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
      </Shown>
    </>
  );
}

function rank(level: 'ok' | 'warn' | 'fail'): number {
  return ['ok', 'warn', 'fail'].indexOf(level);
}
