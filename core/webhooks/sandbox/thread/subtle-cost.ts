/**
 * Limits for Web Crypto. It computes outside of the sandbox, in threads that also read files and look up names. Nothing
 * can interrupt it there.
 */

/** Rounds of a hash for one key: about a second. OWASP recommends up to 1.3 million. */
const MAX_ROUNDS = 2_000_000;
/** Bits. Larger RSA keys take minutes. */
const MAX_MODULUS = 4096;
/** Bits of a derived or generated key. */
const MAX_KEY = 2 ** 16;
/** With other exponents the search for a key may not end. */
const EXPONENTS = ['3', '17', '65537'];

/** @throws RangeError for a call that would compute for too long */
export function checkSubtleCost(args: readonly unknown[]): void {
  const algorithms = args.filter(isFields);
  const lengths = [...args, ...algorithms.map(({ length }) => length)].filter(
    (arg) => typeof arg === 'number',
  );
  const bits = Math.max(0, ...lengths);
  if (bits > MAX_KEY) throw new RangeError(`keys may have ${MAX_KEY} bits at most`);
  for (const { iterations = 0, modulusLength = 0, publicExponent, hash } of algorithms) {
    // Each block of the hash costs all iterations.
    const rounds = Number(iterations) * Math.max(1, Math.ceil(bits / hashBits(hash)));
    if (!(rounds <= MAX_ROUNDS))
      throw new RangeError(`a derivation may take ${MAX_ROUNDS} iterations at most, together for all blocks`);
    if (!(Number(modulusLength) <= MAX_MODULUS))
      throw new RangeError(`RSA keys may have ${MAX_MODULUS} bits at most`);
    if (publicExponent !== undefined && !EXPONENTS.includes(exponentText(publicExponent)))
      throw new RangeError(`the public exponent must be one of ${EXPONENTS.join(', ')}`);
  }
}

interface Fields {
  iterations?: unknown;
  modulusLength?: unknown;
  publicExponent?: unknown;
  length?: unknown;
  hash?: unknown;
}

/** 160 for SHA-1, otherwise the number in the name. */
function hashBits(hash: unknown): number {
  const name = isFields(hash) ? (hash as { name?: unknown }).name : hash;
  return Number(/^SHA-(256|384|512)$/i.exec(String(name))?.[1] ?? 160);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function exponentText(value: unknown): string {
  if (!(value instanceof Uint8Array) || value.length > 8) return 'unknown';
  return String(value.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n));
}
