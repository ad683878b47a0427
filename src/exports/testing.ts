/** `parley/testing`, the name of `@parley/sdk/testing` in 0.1. */
export * from '@parley/sdk/testing';
