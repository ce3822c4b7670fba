/** The paths of requests between processes of a cluster. Clients cannot send them. */

/** `POST` with the record of a prompt: runs it, and answers with its messages. 409: another prompt runs. */
export const PROMPTS_PATH = '/peer/prompts';
/** `GET` answers `{ waiting, running }`: the numbers of prompts. Of the process that has the queue. */
export const QUEUE_PATH = '/peer/queue';
/** `POST` interrupts the prompt that runs. */
export const INTERRUPT_PATH = '/peer/interrupt';
/** `POST` with `{ prefix, lowest }` answers `{ number }`: a number for a new file. Of the process that has the queue. */
export const NUMBERS_PATH = '/peer/numbers';
/** `POST` with `FreeOptions` frees memory. */
export const FREE_PATH = '/peer/free';
