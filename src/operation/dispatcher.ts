import { Injectable } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import { isOwnTenant } from '../auth/principal.js';
import { invalidParams } from '../protocol/errors.js';
import type { OperationName, ParamsOf } from '../protocol/operations.js';
import type { Call } from './call.js';
import { OperationTable } from './operation-table.js';
import type { AnswerOf, Operation } from './operation.js';
import { validParams } from './validate.js';

/** One row of the operations table: how the params are checked, and who does the work. */
export interface OperationRow<O extends OperationName> {
  readonly params: ClassConstructor<ParamsOf<O> & object>;
  readonly operation: Operation<O>;
}

/** Runs an operation by name for every binding: checks first, then the work. */
@Injectable()
export class Dispatcher {
  constructor(private readonly table: OperationTable) {}

  /** Throws `A2AError`; nothing has been written when it is about the request. */
  async run<O extends OperationName>(name: O, input: unknown, call: Call): Promise<AnswerOf<O>> {
    const { params: dto, operation } = this.table.row(name);
    const params = await validParams(dto, input);
    if (!isOwnTenant(call.principal, params.tenant)) {
      throw invalidParams([{ field: 'tenant', description: 'is not a tenant of this caller' }]);
    }
    return operation.execute(params, call);
  }
}
