const XSHIFT = 16;

/**
 * Random words from a seed and a path of spawned children, equal to those of NumPy's SeedSequence. It hashes a pool of
 * `poolSize` words (Melissa O'Neill, "Developing a seed_seq alternative", 2015).
 */
export function seedSequence(
  seed: bigint,
  spawnKey: readonly number[],
  poolSize: number,
  words: number,
): Uint32Array {
  const entropy = wordsOf(seed);
  if (spawnKey.length > 0) {
    // Without padding, the path could be mistaken for the end of a long seed.
    while (entropy.length < poolSize) entropy.push(0);
    for (const key of spawnKey) entropy.push(...wordsOf(BigInt(key)));
  }
  return generate(mixed(entropy, poolSize), words);
}

function wordsOf(value: bigint): number[] {
  const words: number[] = [];
  do {
    words.push(Number(value & 0xffffffffn));
    value >>= 32n;
  } while (value > 0n);
  return words;
}

function mixed(entropy: readonly number[], poolSize: number): Uint32Array {
  let constant = 0x43b0d7e5;
  const hash = (value: number): number => {
    value ^= constant;
    constant = Math.imul(constant, 0x931e8875);
    value = Math.imul(value, constant);
    return (value ^ (value >>> XSHIFT)) >>> 0;
  };
  const pool = new Uint32Array(poolSize);
  for (let i = 0; i < poolSize; i++) pool[i] = hash(entropy[i] ?? 0);
  const mixInto = (target: number, source: number): void => {
    const sum = (Math.imul(0xca01f9dd, pool[target]!) - Math.imul(0x4973f715, hash(source))) >>> 0;
    pool[target] = sum ^ (sum >>> XSHIFT);
  };
  for (let source = 0; source < poolSize; source++) {
    for (let target = 0; target < poolSize; target++) {
      if (source !== target) mixInto(target, pool[source]!);
    }
  }
  for (const word of entropy.slice(poolSize)) {
    for (let target = 0; target < poolSize; target++) mixInto(target, word);
  }
  return pool;
}

function generate(pool: Uint32Array, words: number): Uint32Array {
  let constant = 0x8b51f9dd;
  return Uint32Array.from({ length: words }, (_, index) => {
    let value = pool[index % pool.length]! ^ constant;
    constant = Math.imul(constant, 0x58f38ded);
    value = Math.imul(value, constant);
    return (value ^ (value >>> XSHIFT)) >>> 0;
  });
}
