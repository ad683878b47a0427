import { ConfigError } from '../platform/config/config-error.js';
import { OperatorError } from './ops/operator-error.js';

/**
 * Whether the message of an error suffices without its stack. Checked by name, too: classes of the service are loaded
 * with the commands that need them.
 */
export function isExpected(error: Error): boolean {
  if (error instanceof OperatorError || error instanceof ConfigError) return true;
  return ['SkillPackError', 'EmbeddedRedisError'].includes(error.name);
}
