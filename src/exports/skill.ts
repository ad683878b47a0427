/** `parley/skill`, the name of `@parley/sdk` in 0.1. */
export * from '@parley/sdk';
