import { aguiFeature } from '../endpoints/agui/agui.feature.js';
import { mcpFeature } from '../endpoints/mcp/mcp.feature.js';
import { openAiFeature } from '../endpoints/openai/openai.feature.js';
import { runFeature } from '../endpoints/run/run.feature.js';
import { playgroundFeature } from '../admin/playground/playground.feature.js';
import { registryFeature } from '../registry/registry.feature.js';
import { consoleFeature } from '../admin/console/console.feature.js';
import { operatorFeature } from '../admin/operator/operator.feature.js';
import { snapshotsFeature } from '../admin/snapshots/snapshots.feature.js';
import { undoFeature } from '../undo/undo.feature.js';
import { webhookBinsFeature } from '../admin/webhook-bins/webhook-bins.feature.js';

/** The optional parts of the service: each is a folder and a line here. */
export const FEATURES = [
  runFeature,
  mcpFeature,
  aguiFeature,
  openAiFeature,
  registryFeature,
  consoleFeature,
  operatorFeature,
  playgroundFeature,
  snapshotsFeature,
  webhookBinsFeature,
  undoFeature,
] as const;
