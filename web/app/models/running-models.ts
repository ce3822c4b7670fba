import type { RunningModel } from '../api-client.ts';
import { appStrings } from '../strings/app.ts';

const strings = appStrings.device;

type Devices = Readonly<Record<string, { name: string }>>;

/** What is loaded and where; else which model will be loaded for the next answer. Empty while that is not known. */
export function deviceLabel(
  devices: Devices,
  next: string | undefined,
  installed: readonly unknown[] | undefined,
): string {
  const [any] = Object.values(devices);
  const device = (next === undefined ? undefined : devices[next]) ?? any;
  if (device) return device.name;
  if (next !== undefined) return strings.loadsOnFirstUse(next);
  if (installed === undefined) return '';
  return installed.length === 0 ? strings.noModel : strings.noModelLoaded;
}

/** Models have come or gone since. */
export function haveModelsChanged(before: Devices, now: Devices): boolean {
  const names = Object.keys(now);
  return names.length !== Object.keys(before).length || names.some((name) => !(name in before));
}

/** One of them should have left by now. */
export function hasExpiredModel(running: readonly RunningModel[], now: number): boolean {
  return running.some(({ expires_at: at }) => Date.parse(at) < now);
}
