import { jest } from '@jest/globals';

// Tests start servers and processes and give them seconds to answer. On a machine that stands still for longer than
// that, a test gets two more chances; what failed before is printed, and what is broken fails each time.
jest.retryTimes(2, { logErrorsBeforeRetry: true });
