import { defineFeature } from '../../http/binding/feature.js';
import { SnapshotsModule } from './api/snapshots.module.js';

/** Bundles of all stored data of a task: routes of the console's API. */
export const snapshotsFeature = defineFeature({
  name: 'snapshots',
  consoleApi: ({ version }, base) => SnapshotsModule.forRoot(version, base),
});
