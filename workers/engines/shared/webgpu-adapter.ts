/** The WebGPU adapter of this worker, as far as it matters for wllama. No device is requested, so no memory is held. */
export interface AdapterReport {
  /** Whether wllama can use it: wllama needs 16-bit floats in shaders. */
  isUsable: boolean;
  /** Name for people, such as `WebGPU (nvidia, ada)`. */
  name?: string;
  /** Why it is not usable. */
  reason?: string;
}

/** Examines the WebGPU adapter. Never rejects. */
export async function describeAdapter(): Promise<AdapterReport> {
  if (!(navigator as { gpu?: GpuLike }).gpu)
    return { isUsable: false, reason: 'this browser has no WebGPU here' };
  if (/Firefox\//.test(navigator.userAgent) && !('Suspending' in WebAssembly)) {
    return {
      isUsable: false,
      reason: 'this Firefox cannot suspend WebAssembly (JSPI), which WebGPU needs here',
    };
  }
  let adapter: AdapterLike | null;
  try {
    adapter = await requestAdapter();
  } catch (error) {
    return { isUsable: false, reason: `WebGPU gave no adapter: ${String(error)}` };
  }
  if (!adapter) return { isUsable: false, reason: 'WebGPU found no adapter' };
  const name = adapterName(adapter);
  if (!adapter.features.has('shader-f16')) {
    return { isUsable: false, name, reason: `${name} has no 16-bit floats in shaders (shader-f16)` };
  }
  return { isUsable: true, name };
}

/** The fastest adapter. Null without WebGPU or without an adapter. */
export async function requestAdapter(): Promise<AdapterLike | null> {
  const { gpu } = navigator as { gpu?: GpuLike };
  return gpu ? gpu.requestAdapter({ powerPreference: 'high-performance' }) : null;
}

/** The name of an adapter for people, such as `WebGPU (nvidia, ada)`. */
export function adapterName({ info }: Pick<AdapterLike, 'info'>): string {
  const { vendor, architecture, description } = info ?? {};
  const parts = [vendor, architecture, description].filter((part) => part);
  return parts.length > 0 ? `WebGPU (${parts.join(', ')})` : 'WebGPU';
}

export interface AdapterLike {
  features: { has(name: string): boolean };
  info?: { vendor: string; architecture: string; device: string; description: string };
  limits: Record<string, number>;
}
interface GpuLike {
  requestAdapter(options?: { powerPreference?: string }): Promise<AdapterLike | null>;
}
