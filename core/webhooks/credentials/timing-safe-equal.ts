/**
 * Compares two texts. The time depends on the length of `text` alone, so that a client cannot learn from it how much of
 * a secret was right.
 */
export function timingSafeEqual(text: string, secret: string): boolean {
  let difference = text.length ^ secret.length;
  for (let at = 0; at < text.length; at++) {
    difference |= text.charCodeAt(at) ^ (secret.charCodeAt(at % (secret.length || 1)) || 0);
  }
  return difference === 0;
}
