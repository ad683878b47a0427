import type { ApprovalList } from '../api/approval-types.js';
import type { MeView } from '../api/types.js';
import type { Loading } from '../api/use-load.js';

/** Data that the frame of the pages has read for all of them. */
export interface ScreenProps {
  readonly me: Loading<MeView>;
  /** The questions for the viewer; nothing is read where it may answer none and has not opened their page. */
  readonly approvals: Loading<ApprovalList>;
}

/** How often the questions for the viewer are read. */
export const APPROVALS_EVERY_MS = 5_000;
