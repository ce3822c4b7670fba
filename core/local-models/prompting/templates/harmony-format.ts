/** Special tokens of Harmony, the format of gpt-oss: `<|start|>ROLE<|channel|>CHANNEL<|message|>TEXT`. */
export const START = '<|start|>';
export const CHANNEL = '<|channel|>';
export const MESSAGE = '<|message|>';

/** Ends a prompt whose answer has already begun. */
export const HARMONY_ANSWER = `${CHANNEL}final${MESSAGE}`;

/** Whether a chat template writes Harmony. */
export function isHarmony(template: string): boolean {
  return template.includes(CHANNEL) && template.includes(MESSAGE) && template.includes(START);
}
