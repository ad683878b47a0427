import { readdirSync, readFileSync } from 'node:fs';
import { BREAKER_SCRIPTS } from '../../../src/platform/breaker/breaker.scripts.js';
import { REDIS_SCRIPTS } from '../../../src/platform/redis/redis.scripts.js';
import type { RedisScript } from '../../../src/platform/redis/script/redis-script.js';
import { BIN_SCRIPTS } from '../../../src/admin/webhook-bins/bin.scripts.js';
import { PUSH_SCRIPTS } from '../../../src/webhooks/push.scripts.js';
import { QUEUE_SCRIPTS } from '../../../src/runs/queue/queue.scripts.js';
import { REGISTRY_SCRIPTS } from '../../../src/registry/store/registry.scripts.js';
import { SURVEY_SCRIPTS } from '../../../src/tasks/survey/survey.scripts.js';
import { TASK_SCRIPTS } from '../../../src/tasks/task.scripts.js';
import { LINE_SCRIPTS } from '../../../src/models/line/line.scripts.js';
import { LIMIT_SCRIPTS } from '../../../src/limits/limit.scripts.js';

const SRC = new URL('../../../src/', import.meta.url);
const TABLES = [
  BREAKER_SCRIPTS,
  LINE_SCRIPTS,
  REDIS_SCRIPTS,
  PUSH_SCRIPTS,
  BIN_SCRIPTS,
  QUEUE_SCRIPTS,
  LIMIT_SCRIPTS,
  REGISTRY_SCRIPTS,
  SURVEY_SCRIPTS,
  TASK_SCRIPTS,
];

/** Every script that the service sends to Redis, by its path below src/. */
export const SCRIPTS: ReadonlyMap<string, Pick<RedisScript, 'text' | 'order'>> = new Map(
  TABLES.flatMap((table) => Object.values(table)).map((script) => [script.file.href.slice(SRC.href.length), script]),
);

/** Paths below src/ of all files with Lua. */
export function luaFiles(): readonly string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.lua')).sort();
}

/** The text of a file as it is written. */
export function luaSource(file: string): string {
  return readFileSync(new URL(file, SRC), 'utf8');
}

export function withoutComments(source: string): string {
  const lines = source.split('\n').map((line) => /^(?:[^'"-]|'[^']*'|"[^"]*"|-(?!-))*/.exec(line)?.[0] ?? '');
  return lines.join('\n');
}
