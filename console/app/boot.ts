import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/lists.css';
import './styles/screens.css';
import { readEarly } from './api/session/early.js';
import { firstPaths } from './api/paths.js';
import type { ConsoleConfig } from './api/types.js';
import { BASE } from './base-path.js';

/**
 * The first script of the page. It is small, so that the page is painted before the rest runs, which is fetched
 * meanwhile, and so that the data of the first screen is requested at once.
 */
const segments = location.pathname.slice(BASE.length).split('/').filter(Boolean);
const text = document.getElementById('config')?.textContent ?? '';
if (text !== '' && (JSON.parse(text) as ConsoleConfig).login.kind === 'open') {
  readEarly(firstPaths(segments, Object.fromEntries(new URLSearchParams(location.search))), readOpen);
}
afterPaint(() => {
  // Links from elsewhere lead to the page of a task: its script is fetched beside the main one, which asks for it later.
  if (segments[0] === 'tasks' && segments[1] !== undefined) import('./screens/task/task.js').catch(() => undefined);
  import('./main.js').catch(() => {
    const said = document.querySelector('main p');
    if (said !== null) said.textContent = 'The service was updated, or it cannot be reached. Load the page again.';
  });
});

/** Reads a path of the API that needs no login. */
async function readOpen(path: string): Promise<unknown> {
  const response = await fetch(`${BASE}/api${path}`, { cache: 'no-store' });
  if (!response.ok) throw new Error(`The service answered ${String(response.status)}`);
  return response.json();
}

/** Calls a function once the page has been painted; at once where it is not shown, since then nothing is painted. */
function afterPaint(then: () => void): void {
  if (document.hidden) {
    then();
    return;
  }
  requestAnimationFrame(() => {
    setTimeout(then, 0);
  });
}
