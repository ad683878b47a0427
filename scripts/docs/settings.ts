// npm run docs -- settings: writes .env.example and docs/settings.md from the settings classes.
import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { envExample, settingsPage } from './settings-text.js';

writeFileSync('.env.example', envExample());
writeFileSync('docs/settings.md', await format(settingsPage(), { parser: 'markdown' }));
