import { type DynamicModule, Module } from '@nestjs/common';
import { BindingOptions } from '../http/binding.options.js';
import { WebhookAttemptsController } from './webhook-attempts.controller.js';
import { WebhookKeysController } from './webhook-keys.controller.js';
import { WebhookOperatorController } from './webhook-operator.controller.js';

/** Owns what operators, owners and receivers see of webhooks over HTTP, beside the protocol. */
@Module({})
export class OperatorModule {
  static forRoot(options: BindingOptions): DynamicModule {
    return {
      module: OperatorModule,
      controllers: [WebhookOperatorController, WebhookAttemptsController, WebhookKeysController],
      providers: [{ provide: BindingOptions, useValue: options }],
    };
  }
}
