import 'reflect-metadata';
import { readEnvFile } from './platform/config/env-file.js';
import { readFlags } from './platform/config/flags.js';
import { start } from './start.js';

readEnvFile();
readFlags();
await start();
