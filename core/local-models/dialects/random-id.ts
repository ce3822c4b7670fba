import { toHex } from '#core/base';

/** Returns an integer from 0 to `limit` - 1. Ollama's ids of OpenAI objects are as short. */
export function randomNumber(limit: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return random % limit;
}

/** Returns the prefix with 24 hexadecimal digits: `msg_32f6e95477b107dc8eabbc85`. */
export function randomHexId(prefix: string): string {
  return `${prefix}_${toHex(crypto.getRandomValues(new Uint8Array(12)))}`;
}
