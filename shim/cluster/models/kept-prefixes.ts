import { createHash } from 'node:crypto';

/** Bytes of a body that count as one block. A prefix of fewer bytes costs a worker little to read again. */
const BLOCK = 512;
/** The most blocks that are remembered, of all bodies. */
const MAX_BLOCKS = 20_000;

/**
 * Remembers which worker got the start of a request last. A worker keeps the state of a prompt that it has read, so the
 * next turn of a chat goes to the same worker. Bodies are compared as bytes: each turn repeats the turns before it.
 */
export class KeptPrefixes {
  /** Workers by the hash of all bytes up to the end of a block. The oldest entry is first. */
  readonly #workers = new Map<string, string>();

  constructor(private readonly maxBlocks = MAX_BLOCKS) {}

  /** The worker that got the longest prefix. `hashes`: of `prefixHashes`. */
  workerOf(hashes: readonly string[]): string | undefined {
    for (let at = hashes.length - 1; at >= 0; at--) {
      const worker = this.#workers.get(hashes[at]!);
      if (worker !== undefined) return worker;
    }
    return undefined;
  }

  add(hashes: readonly string[], worker: string): void {
    for (const hash of hashes) {
      this.#workers.delete(hash);
      this.#workers.set(hash, worker);
    }
    for (const hash of this.#workers.keys()) {
      if (this.#workers.size <= this.maxBlocks) return;
      this.#workers.delete(hash);
    }
  }
}

/** A hash for each complete block: of all bytes from the start of the body to the end of that block. */
export function prefixHashes(chunks: readonly Uint8Array[]): string[] {
  const hash = createHash('sha1');
  const hashes: string[] = [];
  let missing = BLOCK;
  for (const chunk of chunks) {
    let at = 0;
    while (chunk.length - at >= missing) {
      hash.update(chunk.subarray(at, at + missing));
      hashes.push(hash.copy().digest('base64'));
      at += missing;
      missing = BLOCK;
    }
    hash.update(chunk.subarray(at));
    missing -= chunk.length - at;
  }
  return hashes;
}
