import 'reflect-metadata';
import { readEnvFile } from './platform/config/env-file.js';
import { start } from './start.js';

readEnvFile();
await start();
