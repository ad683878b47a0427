// npm run conformance -- cli: writes docs/cli-compliance.yaml, the report of the command line against the a2a-cli
// specification, from the tests that name its requirements.
import { writeFileSync } from 'node:fs';
import { packageVersion } from '../../src/platform/config/package-version.js';
import { complianceReport } from './report.js';

writeFileSync(new URL('../../docs/cli-compliance.yaml', import.meta.url), complianceReport(packageVersion()));
