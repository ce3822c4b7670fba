import type { settingsStrings as English } from '../settings.ts';
import { commonStrings } from './common.ts';
import { count } from './numbers.ts';

export const settingsStrings: typeof English = {
  heading: commonStrings.settings,
  device: {
    heading: 'Dieses Gerät',
    gpu: commonStrings.gpu,
    software: ' (auf der CPU nachgebildet, langsam)',
    noGpu: {
      'no-webgpu': 'Dieser Browser hat hier kein WebGPU.',
      'no-adapter': 'WebGPU fand keinen Adapter.',
    },
    f16: '16-Bit-Fließkomma',
    yes: 'ja',
    no: 'nein; GGUF-Modelle laufen auf der CPU',
    buffers: 'Puffer',
    limits: (buffer, binding) => `bis ${buffer}, ${binding} je Shader-Bindung`,
    cores: 'CPU-Threads',
    memory: 'Speicher',
    notReported: 'Dieser Browser meldet ihn nicht.',
    atLeast: (size) => `mindestens ${size}`,
    threads: 'Isolation',
    isolated: 'isoliert: Modelle auf der CPU nutzen mehrere Threads',
    notIsolated: 'nicht isoliert: Modelle auf der CPU nutzen einen Thread',
    loadedModels: commonStrings.loadedModels,
    nothingLoaded: 'keine',
    version: 'Version',
    api: (level) => `Ollama-API ${level}`,
    browser: 'Browser',
    copy: commonStrings.copyReport,
    copied: commonStrings.copied,
    selftest: commonStrings.runSelftest,
  },
  server: 'Der Server in diesem Tab',
  serverSub:
    'In diesem Browser gespeichert. Änderungen gelten nach dem Neuladen; lade alle offenen Tabs neu.',
  computer: 'Der Server auf diesem Computer',
  computerSub:
    'Du verwendest den Server auf diesem Computer. Seine Einstellungen sind Umgebungsvariablen des Befehls tabd (docs/environment.md). Die Einstellungen unten sind die dieses Tabs.',
  appearance: {
    heading: 'Darstellung',
    theme: 'Design',
    schemes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
    language: 'Sprache',
    systemLanguage: 'Wie das System',
  },
  defaultIs: (value) => (value === '' ? '' : `Standard: ${value}`),
  inForm: (number) =>
    number === 1
      ? 'Eine Einstellung ist nicht gültig. Nichts wurde gespeichert.'
      : `${number} Einstellungen sind nicht gültig. Nichts wurde gespeichert.`,
  groups: {
    models: commonStrings.models,
    hub: 'Modell-Hub',
    access: 'Netzwerkzugriff',
    other: 'Weitere Einstellungen (Umgebungsvariablen)',
  },
  byMemory: 'nach GPU-Speicher',
  fields: {
    OLLAMA_KEEP_ALIVE: {
      label: 'Modelle geladen halten',
      hint: 'nach der letzten Anfrage: 30m, 2h; 0 entlädt sofort, -1 hält sie geladen',
    },
    OLLAMA_CONTEXT_LENGTH: { label: 'Kontextlänge', hint: 'Token, sofern eine Anfrage nichts anderes sagt' },
    OLLAMA_MAX_LOADED_MODELS: {
      label: 'Gleichzeitig geladene Modelle',
      hint: 'mehr Modelle brauchen mehr Speicher',
    },
    OLLAMA_MAX_QUEUE: {
      label: 'Länge der Warteschlange',
      hint: 'Anfragen darüber hinaus bekommen den Status 503',
    },
    TABD_CONSENT_ABOVE: {
      label: 'Nachfragen bei Downloads ab',
      hint: 'etwa 500 MB oder 2 GB; 0 fragt vor jedem Download',
    },
    HF_ENDPOINT: { label: 'Adresse des Hubs', hint: 'ein Spiegel, wenn die übliche nicht erreichbar ist' },
    HF_TOKEN: {
      label: 'Zugriffstoken',
      hint: 'für Modelle, die ein Konto brauchen; in diesem Browser gespeichert, nur an den Hub gesendet',
    },
    OLLAMA_ORIGINS: {
      label: 'Erlaubte Ursprünge (CORS)',
      hint: 'andere Websites, die die API aufrufen dürfen, durch Kommas getrennt: https://app.example.com',
    },
    WEBHOOK_URL: {
      label: 'Öffentliche Webhook-Adresse',
      hint: 'die eines Tunnels oder Proxys; sie wird als Adresse von Webhooks gezeigt',
    },
    GENERIC_TIMEZONE: { label: 'Zeitzone der Workflows', hint: 'sofern ein Workflow keine andere hat' },
  },
  otherHint: 'Eine Zeile NAME=Wert für jede, wie in docs/environment.md aufgeführt.',
  errors: {
    notInteger: 'Gib eine ganze Zahl ein.',
    notSize: 'Gib eine Größe ein, etwa 500 MB oder 2 GB.',
    duration: 'Gib eine Zeit ein, etwa 90s, 30m oder 2h.',
    origins: 'Gib Ursprünge ein, etwa https://app.example.com, ohne Pfad.',
    address: 'Gib eine Adresse ein, die mit https:// oder http:// beginnt.',
    timezone: 'Gib eine Zeitzone ein, etwa Europe/Berlin.',
    line: (line) => `„${line}“ ist nicht NAME=Wert.`,
  },
  save: commonStrings.save,
  saved: 'Gespeichert. Änderungen gelten nach dem Neuladen.',
  reload: 'Jetzt neu laden',
  backup: {
    heading: 'Sicherung',
    sub: 'Chats, Vorlagen, Workflows und Einstellungen in einer Datei. Modelle, Bilder, Zugangsdaten und das Token des Hubs sind nicht dabei.',
    save: 'Sicherung speichern',
    restore: 'Wiederherstellen…',
    notBackup: 'Das ist keine Sicherungsdatei von tabd.',
    restored: ({ chats, workflows, settings, presets }) =>
      `Wiederhergestellt: ${count(chats, 'Chat', 'Chats')}, ${count(workflows, 'Workflow', 'Workflows')}, ${count(presets, 'Vorlage', 'Vorlagen')} und ${count(settings, 'Einstellung', 'Einstellungen')}. Einstellungen gelten nach dem Neuladen.`,
  },
  wipe: {
    heading: 'Alles löschen',
    sub: 'Löscht alles, was tabd in diesem Browser gespeichert hat.',
    open: 'Alles löschen…',
    question: 'Alle Daten löschen, die tabd in diesem Browser gespeichert hat?',
    what: 'Modelle, Chats, Bilder, Workflows mit ihren Zugangsdaten und Ausführungen, und Einstellungen. Das lässt sich nicht rückgängig machen.',
    no: commonStrings.cancel,
    yes: 'Alle Daten löschen',
    running: 'Wird gelöscht…',
    inUse: (what) =>
      `Ein anderer Tab verwendet „${what}“. Schließe die anderen Tabs dieser Website und versuche es erneut.`,
  },
};
