import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';
import { at, filledIn, goldenFiles, type GoldenExchange, type Line, lineOf, normalised } from './exchange.js';
import { settingsFile } from '../../kit/app/settings-file.js';

let running: RunningApp;

describe('golden', () => {
  beforeAll(async () => {
    running = await runApp(
      { GRPC_PORT: '0', PARLEY_FILE: settingsFile({ service: { blockingMsOf01: 20_000 } }), DEFAULT_SKILL: 'scripted' },
      SCRIPTED,
    );
  });

  afterAll(async () => {
    await running.close();
  });

  /**
   * Every operation on every binding of every version: what goes in, and what comes out (SEED-02, SEED-03, TRAP-09,
   * TRAP-17, TRAP-18, TRAP-41, TRAP-58).
   */
  describe.each(goldenFiles())('$version on $binding', (file) => {
    const names = new Map<string, string>();
    let line: Line;

    beforeAll(() => {
      for (const name of ['first', 'second', 'third', 'mine']) names.set(randomUUID(), name);
      line = lineOf(file, running);
    });

    /** The answers, and what is to be learnt of them for later requests. */
    async function answerTo(exchange: GoldenExchange): Promise<unknown> {
      const request = filledIn(exchange.request, names);
      if (exchange.streams !== true) return learnt(await line.call(request), exchange);
      const stream = line.stream(request);
      await stream.opened;
      const { meanwhile } = exchange;
      if (meanwhile !== undefined) expect(normalised(await answerTo(meanwhile), names)).toEqual(meanwhile.answer);
      return learnt(await stream.events, exchange);
    }

    function learnt(answer: unknown, exchange: GoldenExchange): unknown {
      for (const [name, path] of Object.entries(exchange.names ?? {})) names.set(at(answer, path), name);
      return answer;
    }

    it.each(file.exchanges.map((exchange) => [exchange.operation, exchange] as const))(
      '%s',
      async (_name, exchange) => {
        expect(normalised(await answerTo(exchange), names)).toEqual(exchange.answer);
      },
    );
  });
});
