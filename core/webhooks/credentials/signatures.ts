import { createHMAC, createSHA256, type IHasher } from 'hash-wasm';
import type { Records } from '#core/host';
import { timingSafeEqual } from './timing-safe-equal.ts';

interface SigningKey {
  /** Base64 of 32 bytes. */
  secret: string;
}

/** Signs addresses, so that only this installation can create valid ones. */
export class Signatures {
  private constructor(private readonly hasher: IHasher) {}

  /** Reads the installation's key, or creates it. */
  static async open(records: Records): Promise<Signatures> {
    const keys = records.collection<SigningKey>('workflowKeys');
    let key = await keys.get('signatures');
    if (!key) {
      key = { secret: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))) };
      await keys.put('signatures', key);
    }
    return new Signatures(await createHMAC(createSHA256(), key.secret));
  }

  /** HMAC-SHA-256 in 64 hex digits. */
  of(text: string): string {
    return this.hasher.init().update(text).digest('hex');
  }

  /** Compares in constant time. */
  isOf(text: string, signature: string): boolean {
    return timingSafeEqual(signature, this.of(text));
  }
}
