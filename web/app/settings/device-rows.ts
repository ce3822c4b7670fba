import type { DeviceReport } from '../models/device-report.ts';
import { settings } from '../strings/settings.ts';
import { bytes } from '../ui/format.ts';

const words = settings.device;

/** What a report of this device says, row by row, for people and for reports of problems. */
export function deviceRows(
  { gpu, noGpu, cores, memory, isolated }: DeviceReport,
  more: { loaded: string[]; version: string; agent: string },
): [label: string, value: string][] {
  return [
    [words.gpu, gpu ? `${gpu.name}${gpu.software ? words.software : ''}` : words.noGpu[noGpu ?? 'no-webgpu']],
    ...(gpu
      ? ([
          [words.f16, gpu.f16 ? words.yes : words.no],
          [words.buffers, words.limits(bytes(gpu.largestBuffer), bytes(gpu.largestBinding))],
        ] as [string, string][])
      : []),
    [words.cores, String(cores)],
    [words.memory, memory === undefined ? words.untold : words.atLeast(`${memory / 2 ** 30} GB`)],
    [words.threads, isolated ? words.isolated : words.notIsolated],
    [words.engines, more.loaded.join('; ') || words.nothingLoaded],
    [words.version, more.version],
    [words.browser, more.agent],
  ];
}
