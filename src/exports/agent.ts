/** `parley/agent`, the name of `@parley/sdk/agent` in 0.1. */
export * from '@parley/sdk/agent';
