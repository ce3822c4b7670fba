/** Memory that a sandbox may have, in bytes. */
export const CODE_MEMORY = 256 * 2 ** 20;
export const EXPRESSION_MEMORY = 128 * 2 ** 20;

export const tooMuchMemory = (most: number) => `it used too much memory (more than ${most / 2 ** 20} MiB)`;
