import { Inject, Injectable } from '@nestjs/common';
import { isOwnTenant } from '../auth/principal.js';
import { invalidParams } from '../protocol/errors.js';
import type { OperationName } from '../protocol/operations.js';
import type { Call } from './call.js';
import type { AnswerOf } from './operation.js';
import { OperationTable } from './operation-table.js';
import { validParams } from './validate.js';

/** Runs an operation by name for every binding: checks first, then the work. */
@Injectable()
export class Dispatcher {
  constructor(@Inject(OperationTable) private readonly table: OperationTable) {}

  /** Throws `A2AError`; when that is about the request, nothing has been written. */
  async run<O extends OperationName>(name: O, input: unknown, call: Call): Promise<AnswerOf<O>> {
    const { params: dto, operation } = this.table[name];
    const params = await validParams(dto, input);
    if (!isOwnTenant(call.principal, params.tenant)) {
      throw invalidParams([{ field: 'tenant', description: 'is not a tenant of this caller' }]);
    }
    return operation.execute(params, call);
  }
}
