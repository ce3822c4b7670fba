import { isObject } from '#core/base';

/** Facts that a server states about itself, so that a caller can choose between several. Unknown ones are left out. */
export interface ServerReport {
  /** The name of the GPU. `CPU` without one. */
  device?: string;
  /** Logical processors. */
  cores?: number;
  /** Bytes of memory of the machine. Browsers round it. */
  memory?: number;
  battery?: Battery;
  /** Names of the installed models. */
  models?: string[];
  /** Names of the models in memory. */
  loaded?: string[];
}

/** The state of the battery of a device. */
export interface Battery {
  /** From 0 (empty) to 1 (full). */
  level: number;
  charging: boolean;
}

/** Models of a longer list are dropped: a report travels with a ping. */
const MAX_MODELS = 1000;
const MAX_TEXT = 200;

/** The report of a peer that is not trusted: every field has its type and a limit, or is left out. */
export function readServerReport(value: unknown): ServerReport {
  if (!isObject(value)) return {};
  const { device, cores, memory, battery, models, loaded } = value;
  return {
    ...(typeof device === 'string' && device !== '' && { device: device.slice(0, MAX_TEXT) }),
    ...(isPositive(cores) && { cores }),
    ...(isPositive(memory) && { memory }),
    ...(isBattery(battery) && { battery: { level: battery.level, charging: battery.charging } }),
    ...(Array.isArray(models) && { models: readNames(models) }),
    ...(Array.isArray(loaded) && { loaded: readNames(loaded) }),
  };
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isBattery(value: unknown): value is Battery {
  if (!isObject(value)) return false;
  const { level, charging } = value;
  return typeof level === 'number' && level >= 0 && level <= 1 && typeof charging === 'boolean';
}

function readNames(names: unknown[]): string[] {
  const isName = (name: unknown): name is string => typeof name === 'string' && name.length <= MAX_TEXT;
  return names.filter(isName).slice(0, MAX_MODELS);
}
