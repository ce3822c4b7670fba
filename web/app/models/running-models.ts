import type { RunningModel } from '../api-client.ts';
import { strings } from '../strings.ts';

const words = strings.device;

type Devices = Readonly<Record<string, { name: string }>>;

/** What is loaded and where; else which model will be loaded for the next answer. Empty while that is not known. */
export function loadedText(
  devices: Devices,
  next: string | undefined,
  installed: readonly unknown[] | undefined,
): string {
  const [any] = Object.values(devices);
  const device = (next === undefined ? undefined : devices[next]) ?? any;
  if (device) return device.name;
  if (next !== undefined) return words.next(next);
  if (installed === undefined) return '';
  return installed.length === 0 ? words.noModel : words.none;
}

/** Models have come or gone since. */
export function isStale(known: Devices, now: Devices): boolean {
  const names = Object.keys(now);
  return names.length !== Object.keys(known).length || names.some((name) => !(name in known));
}

/** One of them should have left by now. */
export function isOver(running: readonly RunningModel[], now: number): boolean {
  return running.some(({ expires_at: at }) => Date.parse(at) < now);
}
