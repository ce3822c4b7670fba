/** What this worker's WebGPU offers, in words; never asks for a device, so nothing is held. */
export interface AdapterReport {
  /** Fit for wllama: it needs 16-bit floats in shaders. */
  usable: boolean;
  /** `WebGPU (nvidia, ada)` */
  name?: string;
  /** Why it is not usable. */
  reason?: string;
}

export async function probeAdapter(): Promise<AdapterReport> {
  if (!(navigator as { gpu?: GpuLike }).gpu)
    return { usable: false, reason: 'this browser has no WebGPU here' };
  if (/Firefox\//.test(navigator.userAgent) && !('Suspending' in WebAssembly)) {
    return {
      usable: false,
      reason: 'this Firefox cannot suspend WebAssembly (JSPI), which WebGPU needs here',
    };
  }
  let adapter: AdapterLike | null;
  try {
    adapter = await requestAdapter();
  } catch (error) {
    return { usable: false, reason: `WebGPU gave no adapter: ${String(error)}` };
  }
  if (!adapter) return { usable: false, reason: 'WebGPU found no adapter' };
  const { vendor, architecture, description } = adapter.info ?? {};
  const parts = [vendor, architecture, description].filter((part) => part);
  const name = parts.length > 0 ? `WebGPU (${parts.join(', ')})` : 'WebGPU';
  if (!adapter.features.has('shader-f16')) {
    return { usable: false, name, reason: `${name} has no 16-bit floats in shaders (shader-f16)` };
  }
  return { usable: true, name };
}

/** null where there is no WebGPU or no adapter. */
export async function requestAdapter(): Promise<AdapterLike | null> {
  const { gpu } = navigator as { gpu?: GpuLike };
  return gpu ? gpu.requestAdapter({ powerPreference: 'high-performance' }) : null;
}

export interface AdapterLike {
  features: { has(name: string): boolean };
  info?: { vendor: string; architecture: string; device: string; description: string };
  limits: Record<string, number>;
}
interface GpuLike {
  requestAdapter(options?: { powerPreference?: string }): Promise<AdapterLike | null>;
}
