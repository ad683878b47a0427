import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/screens.css';
import { render } from 'preact';
import { readEarly } from './api/early.js';
import { getJson } from './api/request.js';
import { stage, start } from './api/session.js';
import { startClock } from './format.js';
import { place, segments, watchLinks } from './router.js';
import { entryOf } from './screens.js';
import { App } from './shell.js';
import { followTheme } from './theme.js';

followTheme();
startClock();
watchLinks();
void start();
if (stage.value === 'in') readFirst();
const root = document.getElementById('app');
root?.replaceChildren();
if (root !== null) render(<App />, root);

/** What the first screen needs, in one round: its script, and what it reads. */
function readFirst(): void {
  const entry = entryOf(segments.value);
  readEarly(['/me', ...(entry?.reads?.(segments.value, place.value.query) ?? [])], getJson);
  entry?.screen.load().catch(() => undefined);
}
