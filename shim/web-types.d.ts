/** Fetch types that core uses and Node's own declarations lack. */
type HeadersInit = ConstructorParameters<typeof Headers>[0] & {};
type BufferSource = NodeJS.ArrayBufferView | ArrayBuffer;
interface RequestInit {
  cache?: 'default' | 'no-store' | 'reload' | 'no-cache' | 'force-cache' | 'only-if-cached';
}
type CryptoKey = import('node:crypto').webcrypto.CryptoKey;
/** Node implements it, but only the declarations of the DOM contain it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: BufferSource);
  }
  class Memory {
    constructor(description: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  type Imports = Record<string, object>;
  function compile(bytes: BufferSource): Promise<Module>;
  function instantiate(bytes: BufferSource, imports: Imports): Promise<{ instance: object; module: Module }>;
}
