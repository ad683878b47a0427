/** `parley/model`, the name of `@parley/sdk/model` in 0.1. */
export * from '@parley/sdk/model';
