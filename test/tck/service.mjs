// The built service as `npm start` runs it, but with the TCK's skill in place of the catalog.
import 'reflect-metadata';
import { start } from '../../dist/main/start.js';
import { TCK_SKILLS } from './tck.skill.mjs';

await start({ skills: TCK_SKILLS });
