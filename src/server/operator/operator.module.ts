import { type DynamicModule, Module } from '@nestjs/common';
import { BindingOptions } from '../http/binding.options.js';
import { WebhookAttemptsController } from './webhook-attempts.controller.js';
import { WebhookOperatorController } from './webhook-operator.controller.js';

/** Owns what operators and owners see of webhooks over HTTP, beside the protocol. */
@Module({})
export class OperatorModule {
  static forRoot(options: BindingOptions): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [WebhookOperatorController, WebhookAttemptsController],
      providers: [{ provide: BindingOptions, useValue: options }],
    };
  }
}
