import type { PipeTransform, Type } from '@nestjs/common';
import { validParams } from '../../../operation/executor/validate.js';
import { readJson } from '../request/request-body.js';

/**
 * Makes a DTO of a query, checked like params of the protocol, so that the answer names each wrong field in its words.
 * Nest's ValidationPipe has errors of its own.
 */
export class ValidQuery<T extends object> implements PipeTransform<unknown, Promise<T>> {
  constructor(readonly dto: Type<T>) {}

  transform(query: unknown): Promise<T> {
    return validParams(this.dto, query);
  }
}

/** The same of a body, which comes as bytes: the limits of JSON bodies hold for it. */
export class ValidBody<T extends object> implements PipeTransform<unknown, Promise<T>> {
  constructor(readonly dto: Type<T>) {}

  async transform(body: unknown): Promise<T> {
    return validParams(this.dto, readJson(body));
  }
}
