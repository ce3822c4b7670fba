import type { Device } from '#core/host';

/** A loaded model, as `/api/ps` lists it. */
export interface LoadedModel {
  name: string;
  digest: string;
  /** Bytes of memory in all. */
  size: number;
  /** Bytes of them on the GPU. */
  sizeGpu: number;
  /** Tokens. */
  contextLength: number;
  /** Milliseconds since 1970. Infinity: never. */
  expiresAt: number;
  device: Device;
  engine: string;
}
