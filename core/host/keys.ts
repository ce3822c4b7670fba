/** Keys that belong to this installation. They are stored apart from the records that they protect. */
export interface Keys {
  /**
   * The AES-GCM key of 256 bits that encrypts credentials. The first call creates it; later ones return the same key.
   * Rejects, and names the file or database, when a stored key cannot be read. A new one would make everything unreadable
   * that the old one encrypted.
   */
  encryptionKey(): Promise<CryptoKey>;
}
