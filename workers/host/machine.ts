import type { Machine } from '#core/host';
import { type AdapterLike, requestAdapter } from '../engines/shared/webgpu-adapter.ts';

interface UserAgentData {
  platform?: string;
  getHighEntropyValues?(hints: string[]): Promise<{ architecture?: string; bitness?: string }>;
}

/** What a browser tells about the machine. Its memory is told in coarse steps only, free memory not at all. */
export async function browserMachine(): Promise<Machine> {
  const told = navigator as { deviceMemory?: number; userAgentData?: UserAgentData };
  const details = await told.userAgentData
    ?.getHighEntropyValues?.(['architecture', 'bitness'])
    .catch(() => undefined);
  const architecture = details?.architecture
    ? `${details.architecture}${details.bitness ? `_${details.bitness}` : ''}`
    : undefined;
  return {
    os: told.userAgentData?.platform || systemOf(navigator.userAgent),
    ...(architecture ? { architecture } : {}),
    ...(told.deviceMemory ? { memoryTotal: told.deviceMemory * 2 ** 30 } : {}),
    cores: navigator.hardwareConcurrency || 1,
    runtime: navigator.userAgent,
    async gpus() {
      const adapter = await requestAdapter().catch(() => null);
      const shaderF16 = adapter?.features.has('shader-f16') ?? false;
      return adapter ? [{ name: nameOf(adapter), type: 'webgpu', shaderF16 }] : [];
    },
  };
}

function nameOf({ info }: AdapterLike): string {
  const parts = [info?.description, info?.vendor, info?.architecture].filter((part) => part);
  return parts.length > 0 ? [...new Set(parts)].join(' ') : 'WebGPU adapter';
}

function systemOf(userAgent: string): string {
  if (/Android/.test(userAgent)) return 'Android';
  if (/iPhone|iPad/.test(userAgent)) return 'iOS';
  if (/Windows/.test(userAgent)) return 'Windows';
  if (/Mac OS X/.test(userAgent)) return 'macOS';
  return /Linux/.test(userAgent) ? 'Linux' : 'unknown';
}
