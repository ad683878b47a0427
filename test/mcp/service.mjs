// The built service as `npm start` runs it, but with the skills and resources that the MCP conformance suite asks for.
import 'reflect-metadata';
import { start } from '../../dist/main/start.js';
import { FIXTURE_RESOURCES, FIXTURE_SKILLS } from './fixture.skills.mjs';

await start({ skills: FIXTURE_SKILLS, features: { mcp: { resources: FIXTURE_RESOURCES } } });
