/** The hardware that models can use, as far as the browser reports it. */
export interface DeviceReport {
  /** Logical processors. */
  cores: number;
  /** Bytes. Browsers round it and cap it at 8 GiB; some do not report it. */
  memory?: number;
  /** Whether the page is cross-origin isolated, which threads on the CPU need. */
  isolated: boolean;
  gpu?: GpuReport;
  /** Why there is no `gpu`. */
  noGpu?: 'no-webgpu' | 'no-adapter';
}

export interface GpuReport {
  name: string;
  /** Whether shaders can use 16-bit floats. */
  f16: boolean;
  /** Bytes of the largest buffer. */
  largestBuffer: number;
  /** Bytes of a buffer that one shader binding can cover. */
  largestBinding: number;
  /** Whether the GPU is emulated on the CPU. */
  software: boolean;
}

interface Adapter {
  features: { has(name: string): boolean };
  info?: { vendor: string; architecture: string; description: string };
  limits: { maxBufferSize: number; maxStorageBufferBindingSize: number };
}

interface NavigatorFacts {
  hardwareConcurrency?: number;
  deviceMemory?: number;
  gpu?: { requestAdapter(options?: object): Promise<Adapter | null> };
}

export async function readDeviceReport(
  facts: NavigatorFacts = navigator as NavigatorFacts,
  isolated: boolean = crossOriginIsolated,
): Promise<DeviceReport> {
  const report: DeviceReport = {
    cores: facts.hardwareConcurrency || 1,
    ...(facts.deviceMemory && { memory: facts.deviceMemory * 2 ** 30 }),
    isolated,
  };
  if (!facts.gpu) return { ...report, noGpu: 'no-webgpu' };
  const adapter = await facts.gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
  if (!adapter) return { ...report, noGpu: 'no-adapter' };
  const { vendor = '', architecture = '', description = '' } = adapter.info ?? {};
  const name = [...new Set([description, vendor, architecture])].filter(Boolean).join(', ') || 'WebGPU';
  return {
    ...report,
    gpu: {
      name,
      f16: adapter.features.has('shader-f16'),
      largestBuffer: adapter.limits.maxBufferSize,
      largestBinding: adapter.limits.maxStorageBufferBindingSize,
      software: /swiftshader|llvmpipe|lavapipe|software/i.test(name),
    },
  };
}
