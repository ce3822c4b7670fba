import { commonStrings } from './common.ts';
import { localized } from './language.ts';

type BackupPart = 'chats' | 'workflows' | 'settings' | 'presets';

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Texts of the settings view. */
export const settingsStrings = localized('settingsStrings', {
  heading: commonStrings.settings,
  device: {
    heading: 'This device',
    gpu: commonStrings.gpu,
    software: ' (emulated on the CPU, slow)',
    noGpu: {
      'no-webgpu': 'This browser has no WebGPU here.',
      'no-adapter': 'WebGPU found no adapter.',
    },
    f16: '16-bit floats',
    yes: 'yes',
    no: 'no; GGUF models run on the CPU',
    buffers: 'Buffers',
    limits: (buffer: string, binding: string) => `up to ${buffer}, ${binding} per shader binding`,
    cores: 'CPU threads',
    memory: 'Memory',
    notReported: 'Not reported by this browser.',
    atLeast: (size: string) => `at least ${size}`,
    threads: 'Isolation',
    isolated: 'isolated: models on the CPU use several threads',
    notIsolated: 'not isolated: models on the CPU use one thread',
    loadedModels: commonStrings.loadedModels,
    nothingLoaded: 'none',
    version: 'Version',
    api: (level: string) => `Ollama API ${level}`,
    browser: 'Browser',
    copy: commonStrings.copyReport,
    copied: commonStrings.copied,
    selftest: commonStrings.runSelftest,
  },
  server: 'The server in this tab',
  serverSub: 'Stored in this browser. Changes apply after a reload; reload all open tabs.',
  computer: 'The server on this computer',
  computerSub:
    'You are using the server on this computer. Its settings are environment variables of the tabd command (docs/environment.md). The settings below are those of this tab.',
  appearance: {
    heading: 'Appearance',
    theme: 'Theme',
    schemes: { system: 'Same as the system', light: 'Light', dark: 'Dark' },
    language: 'Language',
    systemLanguage: 'Same as the system',
  },
  defaultIs: (value: string) => (value === '' ? '' : `Default: ${value}`),
  inForm: (count: number) =>
    count === 1
      ? 'One setting is not valid. Nothing was saved.'
      : `${count} settings are not valid. Nothing was saved.`,
  groups: {
    models: commonStrings.models,
    hub: 'Model hub',
    access: 'Network access',
    other: 'Other settings (environment variables)',
  },
  byMemory: 'by GPU memory',
  fields: {
    OLLAMA_KEEP_ALIVE: {
      label: 'Keep models loaded for',
      hint: 'after the last request: 30m, 2h; 0 unloads at once, -1 keeps it loaded',
    },
    OLLAMA_CONTEXT_LENGTH: { label: 'Context length', hint: 'tokens, unless a request sets it' },
    OLLAMA_MAX_LOADED_MODELS: { label: 'Models loaded at once', hint: 'more models need more memory' },
    OLLAMA_MAX_QUEUE: { label: 'Request queue size', hint: 'requests beyond this get a 503' },
    TABD_CONSENT_ABOVE: {
      label: 'Ask before downloads above',
      hint: 'such as 500 MB or 2 GB; 0 asks before every download',
    },
    HF_ENDPOINT: { label: 'Hub address', hint: 'a mirror, when the default can’t be reached' },
    HF_TOKEN: {
      label: 'Token',
      hint: 'for models that need an account; stored in this browser, sent to the hub only',
    },
    OLLAMA_ORIGINS: {
      label: 'Allowed origins (CORS)',
      hint: 'other sites that may call the API, separated by commas: https://app.example.com',
    },
    WEBHOOK_URL: {
      label: 'Public webhook address',
      hint: 'of a tunnel or proxy, shown as the address of webhooks',
    },
    GENERIC_TIMEZONE: { label: 'Workflow time zone', hint: 'unless a workflow sets it' },
  },
  otherHint: 'One NAME=value per line, as listed in docs/environment.md.',
  errors: {
    notInteger: 'Enter a whole number.',
    notSize: 'Enter a size such as 500 MB or 2 GB.',
    duration: 'Enter a time such as 90s, 30m or 2h.',
    origins: 'Enter origins such as https://app.example.com, without a path.',
    address: 'Enter an address that begins with https:// or http://.',
    timezone: 'Enter a time zone such as Europe/Berlin.',
    line: (line: string) => `“${line}” is not NAME=value.`,
  },
  save: commonStrings.save,
  saved: 'Saved. Changes apply after a reload.',
  reload: 'Reload now',
  backup: {
    heading: 'Backup',
    sub: 'Chats, presets, workflows and settings in one file. Models, images, credentials and the hub token are not included.',
    save: 'Save a backup',
    restore: 'Restore…',
    notBackup: 'This isn’t a tabd backup file.',
    restored: ({ chats, workflows, settings, presets }: Record<BackupPart, number>) =>
      `Restored ${count(chats, 'chat')}, ${count(workflows, 'workflow')}, ${count(presets, 'preset')} and ${count(settings, 'setting')}. Settings apply after a reload.`,
  },
  wipe: {
    heading: 'Delete everything',
    sub: 'Deletes everything that tabd has stored in this browser.',
    open: 'Delete everything…',
    question: 'Delete all data that tabd has stored in this browser?',
    what: 'Models, chats, images, workflows with their credentials and executions, and settings. You can’t undo this.',
    no: commonStrings.cancel,
    yes: 'Delete all data',
    running: 'Deleting…',
    inUse: (what: string) => `Another tab uses “${what}”. Close the other tabs of this site and try again.`,
  },
});
