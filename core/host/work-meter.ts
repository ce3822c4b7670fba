/** A run of a workflow or of an image prompt that has ended, for metrics. */
export interface FinishedWork {
  api: 'webhooks' | 'image-workflows';
  /** Its last state: `success`, `error`, `canceled`, `interrupted`, `waiting` … */
  outcome: string;
  /** Seconds from its acceptance to its begin. Undefined: it continued after a wait. */
  waited?: number;
  /** Seconds from its begin to its end. */
  ran: number;
}

/** Receives finished work. It must not throw. */
export type WorkMeter = (work: FinishedWork) => void;
