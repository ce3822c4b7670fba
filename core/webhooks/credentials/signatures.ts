/** Marks addresses that only this installation can have made. */
import { createHMAC, createSHA256, type IHasher } from 'hash-wasm';
import type { Records } from '#core/host';
import { timingSafeEqual } from './timing-safe-equal.ts';

interface Key {
  /** Base64 of 32 bytes. */
  secret: string;
}

export class Signatures {
  private constructor(private readonly hasher: IHasher) {}

  /** With the installation's key, made at the first use. */
  static async open(records: Records): Promise<Signatures> {
    const keys = records.collection<Key>('workflowKeys');
    let key = await keys.get('signatures');
    if (!key) {
      key = { secret: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))) };
      await keys.put('signatures', key);
    }
    return new Signatures(await createHMAC(createSHA256(), key.secret));
  }

  /** 64 hex digits. */
  of(text: string): string {
    return this.hasher.init().update(text).digest('hex');
  }

  /** Takes the same time however much of it is right. */
  isOf(text: string, signature: string): boolean {
    return timingSafeEqual(signature, this.of(text));
  }
}
