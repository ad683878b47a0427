import { render } from 'preact';
import { stage, start } from './api/session/session.js';
import { startClock } from './view/format.js';
import { segments, watchLinks } from './router.js';
import { entryOf } from './screens.js';
import { App } from './shell.js';
import { followTheme } from './theme.js';

followTheme();
startClock();
watchLinks();
void start();
// Fetched while the frame of the page is drawn.
if (stage.value === 'in') {
  entryOf(segments.value)
    ?.screen.load()
    .catch(() => undefined);
}
const root = document.getElementById('app');
root?.replaceChildren();
if (root !== null) render(<App />, root);
