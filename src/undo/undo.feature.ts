import { defineFeature } from '../http/binding/feature.js';
import { UndoModule } from './undo.module.js';

/** Undoes the finished work of tasks that fail or are canceled, where skills run. */
export const undoFeature = defineFeature({
  name: 'undo',
  module: (_start, { runs }) => (runs ? { module: UndoModule } : undefined),
});
