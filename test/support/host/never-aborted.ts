/** A signal that never aborts. */
export const neverAborted = new AbortController().signal;
