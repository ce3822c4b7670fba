/** Keys that belong to this installation, kept apart from the records that they protect. */
export interface Keys {
  /**
   * AES-GCM, 256 bits: made at the first call and the same from then on. Throws, naming the place, when the key was
   * there and cannot be read: a new one would make everything unreadable that the old one encrypted.
   */
  encryptionKey(): Promise<CryptoKey>;
}
