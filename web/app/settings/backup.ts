/** Chats, settings and workflows in one file, without models and images, which are large, and without secrets. */
import * as v from 'valibot';
import type { AppState } from '../app-state.ts';
import { chatsToJson, parseChats, type StoredChat, settingsSchema } from '../chat/chat-data.ts';
import { type Preset, readPresets, savePreset } from '../chat/presets/presets.ts';
import { settingsStrings } from '../strings/settings.ts';
import { saveFile } from '../ui/save-file.ts';
import { WorkflowClient } from '../workflows/workflow-client.ts';
import { readStoredSettings, storeSettings } from './stored-settings.ts';

const KIND = 'tabd-backup';
const SECRETS = ['HF_TOKEN'];

const backupSchema = v.object({
  kind: v.literal(KIND),
  version: v.literal(1),
  chats: v.unknown(),
  settings: v.record(v.string(), v.string()),
  workflows: v.array(v.record(v.string(), v.unknown())),
  presets: v.optional(v.array(v.object({ name: v.string(), settings: settingsSchema })), []),
});

export interface BackupCounts {
  chats: number;
  workflows: number;
  settings: number;
  presets: number;
}

export async function savePageBackup(app: AppState): Promise<void> {
  const stored: StoredChat[] = [];
  for (const conversation of await app.chats.store.list())
    stored.push({ conversation, turns: await app.chats.store.turns(conversation.id) });
  const settings = readStoredSettings(localStorage);
  for (const name of SECRETS) delete settings[name];
  const client = new WorkflowClient((input, init) => app.backend.fetch(input, init));
  const workflows = [];
  for (const { id } of await client.workflows()) workflows.push(await client.export(id));
  const presets = readPresets(localStorage);
  const chats = JSON.parse(chatsToJson(stored));
  const backup = { kind: KIND, version: 1, chats, settings, workflows, presets };
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`tabd-backup-${day}.json`, 'application/json', JSON.stringify(backup, null, 2));
}

/** Adds the contents of a backup. Only settings and presets of the same name are replaced. Throws when the file is invalid. */
export async function restorePageBackup(app: AppState, text: string): Promise<BackupCounts> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(settingsStrings.backup.notBackup);
  }
  const checked = v.safeParse(backupSchema, json);
  if (!checked.success) throw new Error(settingsStrings.backup.notBackup);
  const { chats, settings, workflows, presets } = checked.output;
  const storedIds = new Set((await app.chats.store.list()).map(({ id }) => id));
  const conversations = parseChats(JSON.stringify(chats), storedIds);
  const client = new WorkflowClient((input, init) => app.backend.fetch(input, init));
  const imported = workflows.length === 0 ? [] : await client.import(workflows);
  const count = await app.chats.importChats(conversations);
  storeSettings(localStorage, { ...readStoredSettings(localStorage), ...settings });
  for (const preset of presets) savePreset(localStorage, preset as Preset);
  app.changed();
  return {
    chats: count,
    workflows: imported.length,
    settings: Object.keys(settings).length,
    presets: presets.length,
  };
}
