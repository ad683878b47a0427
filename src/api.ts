/** The API of the package, `parley`: starts the service from another program, or builds its application. */
import 'reflect-metadata';

export { AppModule, type AppOptions, type AppOverrides } from './app.module.js';
export { createApp } from './bootstrap.js';
export type { ModelOptions } from './model/model.options.js';
export type { ParleyConfig } from './platform/config/config-file.js';
export { start } from './start.js';
