import type { DeviceReport } from '../models/device-report.ts';
import { settingsStrings } from '../strings/settings.ts';
import { bytes } from '../ui/format.ts';

const strings = settingsStrings.device;

/** The rows of the device report, for the settings view and for bug reports. */
export function deviceRows(
  { gpu, noGpu, cores, memory, isolated }: DeviceReport,
  more: { loaded: string[]; version: string; agent: string },
): [label: string, value: string][] {
  return [
    [
      strings.gpu,
      gpu ? `${gpu.name}${gpu.software ? strings.software : ''}` : strings.noGpu[noGpu ?? 'no-webgpu'],
    ],
    ...(gpu
      ? ([
          [strings.f16, gpu.f16 ? strings.yes : strings.no],
          [strings.buffers, strings.limits(bytes(gpu.largestBuffer), bytes(gpu.largestBinding))],
        ] as [string, string][])
      : []),
    [strings.cores, String(cores)],
    [strings.memory, memory === undefined ? strings.notReported : strings.atLeast(`${memory / 2 ** 30} GB`)],
    [strings.threads, isolated ? strings.isolated : strings.notIsolated],
    [strings.loadedModels, more.loaded.join('; ') || strings.nothingLoaded],
    [strings.version, more.version],
    [strings.browser, more.agent],
  ];
}
