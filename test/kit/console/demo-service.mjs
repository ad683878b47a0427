// The built service as `npm start` runs it, with the skills of the console's demo.
import 'reflect-metadata';
import { start } from '../../../dist/main/start.js';
import { DEMO_SKILLS } from './demo.skill.mjs';

await start({ skills: DEMO_SKILLS });
