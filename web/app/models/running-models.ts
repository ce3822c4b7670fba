import type { LoadedModelEntry } from '../api-client.ts';
import { appStrings } from '../strings/app.ts';

const strings = appStrings.device;

type Devices = Readonly<Record<string, { name: string }>>;

/**
 * A loaded model with its device, otherwise the model that loads next. An empty text before the installed models are
 * known.
 */
export function deviceLabel(
  devices: Devices,
  next: string | undefined,
  installed: readonly unknown[] | undefined,
): string {
  const name = next !== undefined && devices[next] ? next : Object.keys(devices)[0];
  if (name !== undefined) return strings.loaded(name, devices[name]!.name);
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
