import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resumingFetch } from '@parley/client/agui/resuming-fetch.js';
import { aRun, cuttingFetch, framesIn, KEYS, PageServices } from '../../kit/agui/page-service.js';

const NUMBERS = (count: number): string => Array.from({ length: count }, (_, n) => `${String(n)};`).join('');

describe('streams of a page that are cut anywhere (AG-UI)', () => {
  let services: PageServices;

  beforeAll(async () => {
    services = await PageServices.start(2, { RATE_WRITE: '1000000/1000000', RATE_READ: '1000000/1000000' });
  });
  afterAll(() => services.close());

  it('loses and repeats nothing for a reader whose streams are cut at every byte (AGUI-22)', async () => {
    const body = aRun('12');
    const whole = await (await services.post('count', body)).text();
    const send = (length: number): Promise<Response> => {
      const init = {
        method: 'POST',
        headers: { 'x-api-key': KEYS.ann, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      return resumingFetch(cuttingFetch(services, [length]), { firstDelayMs: 1 })(services.url('count'), init);
    };
    const expected = framesIn(whole);
    const cutAt = async (length: number): Promise<void> => {
      const frames = framesIn(await (await send(length)).text());
      const isSnapshot = frames.some(({ type }) => type === 'MESSAGES_SNAPSHOT');
      // Before the first id the run is sent again as a whole, and its task may have texts by then.
      if (isSnapshot) expect(JSON.stringify(frames)).toContain(NUMBERS(12));
      else expect(frames).toEqual(expected);
      expect(frames.filter(({ type }) => /^RUN_(FINISHED|ERROR)$/.test(type))).toHaveLength(1);
    };
    for (let length = 0; length < whole.length; length += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, at) => cutAt(length + at)));
    }
  }, 300_000);
});
