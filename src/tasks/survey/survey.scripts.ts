import { scriptsIn } from '../../platform/redis/script/redis-script.js';

const script = scriptsIn(new URL('lua/', import.meta.url));

export const SURVEY_SCRIPTS = {
  changes: script('changes', { keyLists: { tenantTasks: '' }, args: 'since maxTasks' }),
} as const;
