/** The API of the package, `parley`: starts the service from another program, or builds its application. */
import 'reflect-metadata';

export { AppModule, type AppOptions, type AppOverrides } from './main/app.module.js';
export { createApp } from './main/bootstrap.js';
export type { ModelOptions } from './models/model.options.js';
export type { ParleyConfig } from './platform/config/config-file.js';
export { start } from './main/start.js';
