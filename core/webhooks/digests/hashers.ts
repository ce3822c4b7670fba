/** The hash functions of the Crypto node and of the sandbox. */
import {
  createMD5,
  createSHA1,
  createSHA3,
  createSHA224,
  createSHA256,
  createSHA384,
  createSHA512,
  type IHasher,
} from 'hash-wasm';

/** Makes a hasher, by the name of its hash function. Compiling its WebAssembly takes some milliseconds. */
export const HASHERS: Record<string, () => Promise<IHasher>> = {
  MD5: createMD5,
  SHA1: createSHA1,
  SHA224: createSHA224,
  SHA256: createSHA256,
  SHA384: createSHA384,
  SHA512: createSHA512,
  'SHA3-256': () => createSHA3(256),
  'SHA3-384': () => createSHA3(384),
  'SHA3-512': () => createSHA3(512),
};
