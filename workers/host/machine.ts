import type { Machine } from '#core/host';
import { type AdapterLike, requestAdapter } from '../engines/shared/webgpu-adapter.ts';

interface UserAgentData {
  platform?: string;
  getHighEntropyValues?(hints: string[]): Promise<{ architecture?: string; bitness?: string }>;
}

/** The facts that a browser reports about the machine. It rounds the total memory and hides the free memory. */
export async function browserMachine(): Promise<Machine> {
  const { deviceMemory, userAgentData } = navigator as {
    deviceMemory?: number;
    userAgentData?: UserAgentData;
  };
  const details = await userAgentData
    ?.getHighEntropyValues?.(['architecture', 'bitness'])
    .catch(() => undefined);
  const architecture = details?.architecture
    ? `${details.architecture}${details.bitness ? `_${details.bitness}` : ''}`
    : undefined;
  return {
    os: userAgentData?.platform || systemOf(navigator.userAgent),
    ...(architecture ? { architecture } : {}),
    ...(deviceMemory ? { memoryTotal: deviceMemory * 2 ** 30 } : {}),
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
