/** The hash functions of Node's `crypto` and of `hash()` in expressions. `sha3` is SHA3-512. */
export const HASH_NAMES = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3'] as const;
