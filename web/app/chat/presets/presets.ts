import type { ChatSettings } from '../conversation.ts';

/** A system prompt and options under a name. */
export interface Preset {
  name: string;
  settings: ChatSettings;
}

const KEY = 'tabd.presets';

type PresetStorage = Pick<Storage, 'getItem' | 'setItem'>;

let parsedText: string | null = null;
let parsed: readonly Preset[] = [];

/** The stored presets, by name. Entries of another form are left out. */
export function readPresets(storage: PresetStorage): readonly Preset[] {
  const text = storage.getItem(KEY);
  if (text === parsedText) return parsed;
  parsedText = text;
  parsed = parsePresets(text);
  return parsed;
}

function parsePresets(text: string | null): Preset[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter(isPreset) : [];
  } catch {
    return [];
  }
}

function isPreset(value: unknown): value is Preset {
  const { name, settings } = (value ?? {}) as Partial<Preset>;
  return typeof name === 'string' && typeof settings === 'object' && settings !== null;
}

/**
 * Stores a preset in place of the one of its name, and of the one called `formerName`. Leaves out whether to load images
 * from other sites, which each chat decides.
 */
export function savePreset(storage: PresetStorage, { name, settings }: Preset, formerName = name): void {
  const { remoteImages, ...rest } = settings;
  const others = readPresets(storage).filter((preset) => preset.name !== name && preset.name !== formerName);
  store(storage, [...others, { name, settings: rest }]);
}

export function deletePreset(storage: PresetStorage, name: string): void {
  store(
    storage,
    readPresets(storage).filter((preset) => preset.name !== name),
  );
}

function store(storage: PresetStorage, presets: readonly Preset[]): void {
  const sorted = presets.toSorted((a, b) => a.name.localeCompare(b.name));
  storage.setItem(KEY, JSON.stringify(sorted));
}

/** The preset whose settings a chat has. */
export function presetOf(presets: readonly Preset[], settings: ChatSettings): Preset | undefined {
  const text = settingsText(settings);
  return presets.find((preset) => settingsText(preset.settings) === text);
}

/** The settings of a chat after the choice of a preset. */
export function withPreset({ remoteImages }: ChatSettings, preset: ChatSettings): ChatSettings {
  return { ...preset, ...(remoteImages !== undefined && { remoteImages }) };
}

function settingsText({ remoteImages, ...settings }: ChatSettings): string {
  return JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
}
