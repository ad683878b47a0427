import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/screens.css';
import { render } from 'preact';
import { start } from './api/session.js';
import { startClock } from './format.js';
import { watchLinks } from './router.js';
import { App } from './shell.js';
import { followTheme } from './theme.js';

followTheme();
startClock();
watchLinks();
void start();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
