import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/kit/run/eventually.js';
import { readBlocks } from './block-file.js';
import { type Blockable, BlockList } from './block-list.js';
import { Blocks } from './blocks.js';

const billing: Blockable = { tenant: 'acme', client: 'billing' };
const kim: Blockable = { ...billing, subject: 'kim', credential: { kid: 'k1', token: 't1' } };
const robot: Blockable = { ...billing, credential: { apiKey: 'robot' } };
const textOf = (...blocks: object[]): string => JSON.stringify({ blocks });
const listOf = async (...blocks: object[]): Promise<BlockList> => new BlockList(await readBlocks(textOf(...blocks)));

describe(BlockList.name, () => {
  it.each<readonly [object, Blockable, Blockable]>([
    [{ tenant: 'acme' }, kim, { ...kim, tenant: 'globex' }],
    [{ tenant: 'acme', client: 'billing' }, kim, { ...kim, tenant: 'globex' }],
    [{ tenant: 'acme', subject: 'kim' }, kim, { ...kim, tenant: 'globex' }],
    [{ tenant: 'acme', subject: 'kim' }, { ...kim, client: 'other' }, billing],
    [{ tenant: 'acme', client: 'billing', subject: 'kim' }, kim, { ...kim, client: 'other' }],
    [
      { tenant: 'acme', client: 'desk' },
      { ...kim, actors: ['first', 'desk'] },
      { ...kim, actors: ['first'] },
    ],
    [{ apiKey: 'robot' }, robot, { ...robot, credential: { apiKey: 'other' } }],
    [{ kid: 'k1' }, kim, { ...kim, credential: { kid: 'k2' } }],
    [{ token: 't1' }, kim, { ...kim, credential: { kid: 'k1', token: 't2' } }],
    [{ tenant: 'acme', kid: 'k1' }, kim, { ...kim, tenant: 'globex' }],
    [{ tenant: 'acme', subject: 'k1' }, { ...kim, subject: 'k1' }, kim],
  ])('blocks by %j what fits all of its members, and nobody else (IDENT-01)', async (entry, blocked, other) => {
    const list = await listOf({ tenant: 'unused' }, entry);
    expect([list.of(blocked) !== undefined, list.of(other)]).toEqual([true, undefined]);
  });

  it('blocks until a time, and by the longest of two entries about the same (IDENT-01)', async () => {
    const past = { tenant: 'acme', client: 'billing', until: '2020-01-01T00:00:00Z' };
    expect((await listOf(past)).of(billing)).toBeUndefined();
    const [hold, cancel] = [{ tenant: 'acme', tasks: 'hold' }, { tenant: 'acme' }];
    for (const list of [await listOf(hold, cancel), await listOf(cancel, hold)]) {
      expect(list.of(billing)?.tasks).toBe('cancel');
    }
    expect(
      (await listOf({ ...past, client: 'billing' }, { ...past, until: '2999-01-01T00:00:00Z' })).of(billing),
    ).toEqual(expect.objectContaining({ tenant: 'acme' }));
  });

  it('finds one of 100,000 entries as fast as one of ten: about a microsecond of processor time (IDENT-01)', async () => {
    const many = async (count: number): Promise<BlockList> => {
      const blocks = Array.from({ length: count }, (_none, n) => ({ tenant: 'acme', client: `client-${String(n)}` }));
      return new BlockList(await readBlocks(JSON.stringify({ blocks })));
    };
    const [few, lots] = [await many(10), await many(100_000)];
    const callers = Array.from({ length: 1_000 }, (_none, n) => ({ ...kim, client: `client-${String(n * 100)}` }));
    const microseconds = (list: BlockList): number => {
      const begun = process.cpuUsage();
      for (let round = 0; round < 200; round += 1) for (const caller of callers) list.of(caller);
      return process.cpuUsage(begun).user / (200 * callers.length);
    };
    microseconds(few);
    expect(lots.of(callers[999] ?? kim)).toBeDefined();
    // Generous: the processor is shared with other suites.
    expect(microseconds(lots)).toBeLessThan(5);
  });
});

describe(readBlocks.name, () => {
  it.each([
    ['{"blocks": [', 'it is not JSON'],
    ['', 'it is not JSON'],
    ['[]', 'it must be {"blocks": [...]}'],
    ['{"blocks": {}}', 'it must be {"blocks": [...]}'],
    ['{"blocks": [], "more": 1}', 'it must be {"blocks": [...]}'],
    [textOf({ tenant: 'a' }, { client: 'secret-name' }), 'blocks[1] needs tenant'],
    [textOf({ subject: 'secret-name' }), 'blocks[0] needs tenant'],
    [textOf({ tenant: 'a', clients: 'secret-name' }), 'blocks[0] has a member that is none of tenant, client'],
    [textOf({ tenant: 'a', client: '' }), 'blocks[0].client must be a text'],
    [textOf({ tenant: 'a', client: 'x'.repeat(513) }), 'blocks[0].client must be a text'],
    [textOf({ tenant: 'a', token: 't', kid: 'k' }), 'blocks[0] has more than one of'],
    [textOf({ tenant: 'a', client: 'c', token: 't' }), 'blocks[0] has more than one of'],
    [textOf({ tenant: 'a', agent: 'b' }), 'blocks[0] has agent and tenant'],
    [textOf({ tenant: 'a', until: 'tomorrow' }), 'blocks[0].until must be a time'],
    [textOf({ tenant: 'a', tasks: 'wait' }), 'blocks[0].tasks is cancel or hold'],
  ])('refuses %j with the place, and repeats nothing of it (IDENT-01)', async (text, reason) => {
    await expect(readBlocks(text)).rejects.toThrow(reason);
    await expect(readBlocks(text)).rejects.not.toThrow('secret-name');
  });
});

describe(Blocks.name, () => {
  let folder: string;
  let file: string;
  let blocks: Blocks;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'blocks-'));
    file = join(folder, 'blocks.json');
    writeFileSync(file, textOf({ tenant: 'acme', client: 'billing' }));
    blocks = new Blocks({ file, pollEveryMs: 20 });
    await blocks.onModuleInit();
  });
  afterEach(() => {
    blocks.onApplicationShutdown();
    rmSync(folder, { recursive: true });
  });

  it('keeps the entries before while the file is cut, empty or gone, and takes the next good one (IDENT-01)', async () => {
    const other = { tenant: 'acme', client: 'other' };
    for (const [number, broken] of [textOf({ tenant: 'acme' }).slice(0, -4), '', undefined].entries()) {
      if (broken === undefined) unlinkSync(file);
      else writeFileSync(file, broken);
      // A good file shows that the broken one was read before it.
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([blocks.of(billing) !== undefined, blocks.of({ ...other, client: String(number) })]).toEqual([
        true,
        undefined,
      ]);
      writeFileSync(file, textOf({ tenant: 'acme', client: 'billing' }, { tenant: 'acme', client: String(number) }));
      await eventually(() => expect(blocks.of({ ...other, client: String(number) })).toBeDefined());
    }
  });

  it('follows the swapped link of a mounted volume (IDENT-01)', async () => {
    const link = join(folder, 'link');
    symlinkSync(file, link);
    const linked = new Blocks({ file: link, pollEveryMs: 20 });
    await linked.onModuleInit();
    writeFileSync(join(folder, 'next.json'), textOf());
    symlinkSync(join(folder, 'next.json'), join(folder, 'swap'));
    renameSync(join(folder, 'swap'), link);
    await eventually(() => expect(linked.of(billing)).toBeUndefined());
    expect(blocks.of(billing)).toBeDefined();
    linked.onApplicationShutdown();
  });

  it('notifies watchers once when their caller is blocked, at once if it is, and not when removed (IDENT-01)', async () => {
    const notified: string[] = [];
    const watch = (client: string, name = client): (() => void) =>
      blocks.whenBlocked({ tenant: 'acme', client }, () => notified.push(name));
    watch('billing');
    expect(notified).toEqual(['billing']);
    watch('second');
    watch('second', 'removed')();
    watch('third');
    for (const more of [1, 2]) {
      writeFileSync(
        file,
        textOf(...['billing', 'second', `n${String(more)}`].map((client) => ({ tenant: 'acme', client }))),
      );
      await eventually(() => expect(blocks.of({ tenant: 'acme', client: `n${String(more)}` })).toBeDefined());
    }
    expect(notified).toEqual(['billing', 'second']);
  });

  it('does not start without its file (IDENT-01)', async () => {
    const missing = new Blocks({ file: join(folder, 'none.json') });
    await expect(missing.onModuleInit()).rejects.toThrow(
      /^auth.blockFile of parley.yaml, .*none.json: (Error: )?ENOENT/,
    );
  });
});
