import type { LoadedModelEntry } from '../api-client.ts';
import { appStrings } from '../strings/app.ts';

const strings = appStrings.device;

type Devices = Readonly<Record<string, { name: string }>>;

/**
 * The device of a loaded model, otherwise the model that loads next. An empty text before the installed models are
 * known.
 */
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

/** Whether a model was loaded or unloaded between the two states. */
export function haveModelsChanged(before: Devices, now: Devices): boolean {
  const names = Object.keys(now);
  return names.length !== Object.keys(before).length || names.some((name) => !(name in before));
}

/** Whether the keep-alive time of a model has passed. */
export function hasExpiredModel(running: readonly LoadedModelEntry[], now: number): boolean {
  return running.some(({ expires_at: at }) => Date.parse(at) < now);
}
