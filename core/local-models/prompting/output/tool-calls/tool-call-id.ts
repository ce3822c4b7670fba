const LOWER_CASE = 'abcdefghijklmnopqrstuvwxyz0123456789';
const MIXED_CASE = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER_CASE}`;

/**
 * A random id in the format that Ollama uses.
 * @param native whether the chat template in the model's file rendered the prompt: 32 characters. Otherwise `call_` and
 *   8 characters.
 */
export function toolCallId(native: boolean): string {
  const bytes = crypto.getRandomValues(new Uint8Array(native ? 32 : 8));
  const alphabet = native ? MIXED_CASE : LOWER_CASE;
  const text = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
  return native ? text : `call_${text}`;
}
