/**
 * The globals that `core/` may use: those parts of Fetch, Streams, URL, Encoding, Timers and Web Crypto that browsers, workers
 * and Node share. There is no DOM, no worker global and no `node:*`. There is no global `fetch` either, because the core
 * reaches the network through `Host.network`.
 *
 * Only the tsconfig of `core/` includes this file. Other rooms check the core again with the types of their platform.
 */
interface EventTarget {
  addEventListener(
    type: string,
    listener: (event: Event) => void,
    options?: { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
}
interface Event {
  readonly type: string;
}
interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the same type as the platform's
  readonly reason: any;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  abort(reason?: unknown): AbortSignal;
  any(signals: AbortSignal[]): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
};
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly name: string;
}

type BufferSource = ArrayBufferView | ArrayBuffer;
interface ReadableStreamDefaultController<R = unknown> {
  readonly desiredSize: number | null;
  enqueue(chunk?: R): void;
  close(): void;
  error(reason?: unknown): void;
}
interface QueuingStrategy<T = unknown> {
  highWaterMark?: number;
  size?(chunk: T): number;
}
interface UnderlyingSource<R = unknown> {
  start?(controller: ReadableStreamDefaultController<R>): unknown;
  pull?(controller: ReadableStreamDefaultController<R>): void | PromiseLike<void>;
  cancel?(reason?: unknown): void | PromiseLike<void>;
}
interface ReadableStreamReadValue<R> {
  done: false;
  value: R;
}
interface ReadableStreamReadDone {
  done: true;
  value: undefined;
}
interface ReadableStreamDefaultReader<R = unknown> {
  readonly closed: Promise<void>;
  read(): Promise<ReadableStreamReadValue<R> | ReadableStreamReadDone>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}
interface ReadableWritablePair<R, W> {
  readable: ReadableStream<R>;
  writable: WritableStream<W>;
}
declare class ReadableStream<R = unknown> {
  constructor(source?: UnderlyingSource<R>, strategy?: QueuingStrategy<R>);
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(): ReadableStreamDefaultReader<R>;
  pipeThrough<T>(pair: ReadableWritablePair<T, R>, options?: { signal?: AbortSignal }): ReadableStream<T>;
  pipeTo(
    destination: WritableStream<R>,
    options?: { signal?: AbortSignal; preventClose?: boolean },
  ): Promise<void>;
  tee(): [ReadableStream<R>, ReadableStream<R>];
  [Symbol.asyncIterator](): AsyncIterableIterator<R>;
}
interface WritableStreamDefaultWriter<W = unknown> {
  readonly ready: Promise<void>;
  readonly closed: Promise<void>;
  write(chunk: W): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
}
declare class WritableStream<W = unknown> {
  constructor(
    sink?: {
      write?(chunk: W): void | PromiseLike<void>;
      close?(): void | PromiseLike<void>;
      abort?(reason?: unknown): void | PromiseLike<void>;
    },
    strategy?: QueuingStrategy<W>,
  );
  getWriter(): WritableStreamDefaultWriter<W>;
}
interface TransformStreamDefaultController<O = unknown> {
  enqueue(chunk?: O): void;
  error(reason?: unknown): void;
  terminate(): void;
}
declare class TransformStream<I = unknown, O = unknown> {
  constructor(
    transformer?: {
      transform?(chunk: I, controller: TransformStreamDefaultController<O>): void | PromiseLike<void>;
      flush?(controller: TransformStreamDefaultController<O>): void | PromiseLike<void>;
    },
    writableStrategy?: QueuingStrategy<I>,
    readableStrategy?: QueuingStrategy<O>,
  );
  readonly readable: ReadableStream<O>;
  readonly writable: WritableStream<I>;
}
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: BufferSource, options?: { stream?: boolean }): string;
}
declare class DecompressionStream {
  constructor(format: 'gzip' | 'deflate' | 'deflate-raw');
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<BufferSource>;
}
declare class Blob {
  constructor(parts?: (BufferSource | Blob | string)[], options?: { type?: string });
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  slice(start?: number, end?: number, type?: string): Blob;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
}
declare class File extends Blob {
  constructor(
    parts: (BufferSource | Blob | string)[],
    name: string,
    options?: { type?: string; lastModified?: number },
  );
  readonly name: string;
}
type FormDataEntryValue = File | string;
declare class FormData {
  append(name: string, value: string | Blob, fileName?: string): void;
  get(name: string): FormDataEntryValue | null;
  getAll(name: string): FormDataEntryValue[];
  has(name: string): boolean;
  entries(): IterableIterator<[string, FormDataEntryValue]>;
  [Symbol.iterator](): IterableIterator<[string, FormDataEntryValue]>;
}
type HeadersInit = Headers | Record<string, string> | [string, string][];
declare class Headers {
  constructor(init?: HeadersInit);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, key: string, parent: Headers) => void): void;
  entries(): IterableIterator<[string, string]>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
type BodyInit = ReadableStream<Uint8Array> | Blob | BufferSource | FormData | URLSearchParams | string;
interface Body {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  formData(): Promise<FormData>;
  // biome-ignore lint/suspicious/noExplicitAny: the same type as the platform's
  json(): Promise<any>;
  text(): Promise<string>;
}
interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  signal?: AbortSignal | null;
  redirect?: 'follow' | 'error' | 'manual';
  cache?: 'default' | 'no-store' | 'reload' | 'no-cache' | 'force-cache' | 'only-if-cached';
  credentials?: 'omit' | 'same-origin' | 'include';
}
interface Request extends Body {}
declare class Request {
  constructor(input: string | URL | Request, init?: RequestInit);
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly mode: string;
  clone(): Request;
}
interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}
interface Response extends Body {}
declare class Response {
  constructor(body?: BodyInit | null, init?: ResponseInit);
  static json(data: unknown, init?: ResponseInit): Response;
  static redirect(url: string | URL, status?: number): Response;
  static error(): Response;
  /** `opaqueredirect` in browsers, when `redirect` is `manual`: the target is hidden. */
  readonly type: string;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  clone(): Response;
}
declare class URLSearchParams {
  constructor(init?: string | Record<string, string> | [string, string][]);
  append(name: string, value: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  delete(name: string): void;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string, base?: string): boolean;
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
}
interface CryptoKey {
  readonly type: string;
  readonly algorithm: { name: string; modulusLength?: number };
}
interface AesGcmParams {
  name: 'AES-GCM';
  iv: BufferSource;
  additionalData?: BufferSource;
}
interface RsaOaepParams {
  name: 'RSA-OAEP';
}
interface SubtleCrypto {
  digest(algorithm: string, data: BufferSource): Promise<ArrayBuffer>;
  importKey(
    format: 'raw',
    data: BufferSource,
    algorithm: string,
    extractable: boolean,
    uses: ('encrypt' | 'decrypt')[],
  ): Promise<CryptoKey>;
  importKey(
    format: 'pkcs8',
    data: BufferSource,
    algorithm: { name: string; hash: string },
    extractable: boolean,
    uses: 'sign'[],
  ): Promise<CryptoKey>;
  importKey(
    format: 'pkcs8' | 'spki',
    data: BufferSource,
    algorithm: { name: 'RSA-OAEP'; hash: string },
    extractable: boolean,
    uses: ('encrypt' | 'decrypt')[],
  ): Promise<CryptoKey>;
  sign(algorithm: string, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  encrypt(algorithm: AesGcmParams | RsaOaepParams, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  decrypt(algorithm: AesGcmParams | RsaOaepParams, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
}
interface Crypto {
  readonly subtle: SubtleCrypto;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
}
declare const crypto: Crypto;
declare const performance: { now(): number; readonly timeOrigin: number };
declare function setTimeout(callback: () => void, milliseconds?: number): unknown;
// biome-ignore lint/suspicious/noExplicitAny: a timer handle is a number in browsers and an object in Node
declare function clearTimeout(handle: any): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare namespace WebAssembly {
  class Module {
    constructor(bytes: BufferSource);
  }
  class Memory {
    constructor(description: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  function compile(bytes: BufferSource): Promise<Module>;
}
