import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type InteropCell, opened, plain, same, TEXT } from './cells.js';

/** What an agent of a framework must be able to do with the service, beside reading its card and streaming. */
export const TURN_CELLS: readonly InteropCell[] = [
  {
    name: 'turn',
    needs: ['turn'],
    async run(driver) {
      assert.equal(await driver.turn(TEXT, 'echo'), TEXT);
    },
  },
  {
    name: 'turns of a question',
    needs: ['turns'],
    async run(driver) {
      const invoice = JSON.stringify({ invoiceNumber: `I-${randomUUID()}`, total: 5 });
      const states = await driver.turns([invoice, 'approve'], 'approve_payment');
      same(states.map(plain), ['INPUT_REQUIRED', 'COMPLETED']);
    },
  },
  {
    name: 'turn with a credential',
    needs: ['turn'],
    isGuarded: true,
    async run(_driver, { guarded }) {
      assert.ok(guarded, 'there is no guarded agent');
      for (const wrong of [undefined, { bearer: 'wrong' }]) {
        await opened(guarded, wrong, (driver) => assert.rejects(driver.turn(TEXT, 'echo'), guarded.refusal));
      }
      for (const right of guarded.credentials) {
        await opened(guarded, right, async (driver) => assert.equal(await driver.turn(TEXT, 'echo'), TEXT));
      }
    },
  },
];
