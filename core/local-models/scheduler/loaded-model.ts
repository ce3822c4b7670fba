import type { Device } from '#core/host';

/** A loaded model, as `/api/ps` lists it. */
export interface LoadedModel {
  name: string;
  digest: string;
  /** Bytes of memory on all devices. */
  size: number;
  /** Bytes of GPU memory, which `size` includes. */
  sizeGpu: number;
  /** The context length in tokens. */
  contextLength: number;
  /** Milliseconds since 1970. Infinity: never. */
  expiresAt: number;
  device: Device;
  engine: string;
}
