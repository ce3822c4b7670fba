/** What this device offers to models, as far as a page is told. */

export interface DeviceReport {
  /** Logical processors. */
  cores: number;
  /** Bytes; browsers tell it in coarse steps up to a limit, some not at all. */
  memory?: number;
  /** Threads on the processor need it. */
  isolated: boolean;
  gpu?: GpuReport;
  /** Why there is no `gpu`. */
  noGpu?: 'no-webgpu' | 'no-adapter';
}

export interface GpuReport {
  name: string;
  /** 16-bit floats in shaders. */
  f16: boolean;
  /** Bytes of the largest buffer. */
  largestBuffer: number;
  /** Bytes of it that a shader can see at once. */
  largestBinding: number;
  /** A program on the processor that stands in for a GPU. */
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
  told: NavigatorFacts = navigator as NavigatorFacts,
  isolated: boolean = crossOriginIsolated,
): Promise<DeviceReport> {
  const report: DeviceReport = {
    cores: told.hardwareConcurrency || 1,
    ...(told.deviceMemory && { memory: told.deviceMemory * 2 ** 30 }),
    isolated,
  };
  if (!told.gpu) return { ...report, noGpu: 'no-webgpu' };
  const adapter = await told.gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
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
