import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { RedriveDto } from '../../admin/console/dto/redrive.dto.js';
import { TriedCallDto } from '../../admin/playground/api/dto/tried-agent.dto.js';
import { DeadLetterFilterDto } from '../../admin/operator/dto/dead-letter-filter.dto.js';
import { ExploreDto } from '../../registry/api/dto/ard-query.dto.js';
import { ValidBody } from './valid.pipes.js';

const read = (dto: new () => object, body: object): Promise<object> =>
  new ValidBody(dto).transform(Buffer.from(JSON.stringify(body)));

describe(ValidBody.name, () => {
  it('reads a member that is null as absent, at every depth (B3)', async () => {
    expect(await read(DeadLetterFilterDto, { endpoint: null, until: null, limit: null })).toEqual({});
    const explore = { query: { text: 'x', filter: null }, resultType: { facets: [{ field: 'tags', limit: null }] } };
    expect(await read(ExploreDto, explore)).toEqual({
      query: { text: 'x' },
      resultType: { facets: [{ field: 'tags' }] },
    });
    expect(await read(TriedCallDto, { agent: 'a', operation: 'GetTask', message: null, taskId: 't' })).toEqual({
      ...{ agent: 'a', operation: 'GetTask', taskId: 't' },
    });
  });

  it('keeps null where any JSON is a value', async () => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: null, text: null }], metadata: { a: null } };
    const made = await read(TriedCallDto, { agent: 'a', operation: 'SendMessage', message });
    expect(made).toMatchObject({ message: { parts: [{ data: null }], metadata: { a: null } } });
  });

  it('requires a member that is null and not optional', async () => {
    await expect(read(RedriveDto, { expected: null })).rejects.toThrow('expected: is required');
  });
});
