/** Memory of one sandbox instance, in bytes. */
export const CODE_MEMORY = 256 * 2 ** 20;
export const EXPRESSION_MEMORY = 128 * 2 ** 20;

/** The end of the sentence that reports a script over its memory limit. */
export const memoryLimitText = (limit: number) =>
  `it used too much memory (more than ${limit / 2 ** 20} MiB)`;
