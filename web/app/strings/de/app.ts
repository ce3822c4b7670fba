import type { appStrings as English } from '../app.ts';
import { commonStrings } from './common.ts';

export const appStrings: typeof English = {
  title: 'tabd',
  skip: 'Zum Inhalt springen',
  nav: {
    chat: commonStrings.chat,
    images: commonStrings.images,
    workflows: commonStrings.workflows,
    models: commonStrings.models,
    api: 'API',
    settings: commonStrings.settings,
    selftest: commonStrings.selftest,
    cluster: 'Cluster',
    'not-found': 'Seite nicht gefunden',
  },
  notFound: {
    heading: 'Seite nicht gefunden',
    text: (address) => `tabd hat keine Seite unter ${address}.`,
    home: 'Zum Chat',
  },
  colorScheme: (scheme) =>
    ({ system: 'Design: wie das System', light: 'Design: hell', dark: 'Design: dunkel' })[scheme],
  palette: {
    open: 'Suchen oder wechseln zu…',
    key: 'Strg K',
    placeholder: 'Seiten, Chats, Modelle und Aktionen durchsuchen',
    noResults: 'Nichts gefunden.',
    chatWith: (model) => `Mit ${model} chatten`,
    groups: {
      views: 'Seiten',
      actions: 'Aktionen',
      models: 'Modelle',
      theme: 'Darstellung',
      chats: 'Chats',
    },
  },
  shortcuts: {
    title: 'Tastenkürzel',
    groups: [
      {
        name: 'Überall',
        keys: [
          ['Strg + K', 'Suchen oder wechseln zu…'],
          ['Strg + Umschalt + O', 'Neuer Chat'],
          ['?', 'Tastenkürzel'],
        ],
      },
      {
        name: commonStrings.chat,
        keys: [
          ['Eingabe', 'Senden, oder einreihen, solange eine Antwort entsteht'],
          ['Umschalt + Eingabe', 'Neue Zeile'],
          ['Esc', 'Antwort stoppen'],
          ['↑', 'Deine letzte Nachricht bearbeiten'],
        ],
      },
      {
        name: commonStrings.workflows,
        keys: [
          ['Strg + S', 'Speichern'],
          ['Strg + Z', 'Rückgängig'],
          ['Strg + Umschalt + Z', 'Wiederholen'],
        ],
      },
      {
        name: 'Graph-Editor',
        keys: [
          ['A', 'Knoten hinzufügen'],
          ['Strg + Eingabe', 'Ausführen'],
          ['?', 'Alle seine Tastenkürzel'],
        ],
      },
    ],
  },
  device: {
    noModelLoaded: commonStrings.noModelLoaded,
    noModel: commonStrings.noModel,
    loaded: (model, device) => `${model} · ${device}`,
    loadsOnFirstUse: (model) => `${model} · lädt bei der ersten Frage`,
    gpu: commonStrings.gpu,
    cpu: 'CPU',
  },
  servers: {
    label: 'Server',
    hint: 'Dieser Tab: Modelle und Daten in diesem Browser. Dieser Computer: die des Befehls tabd.',
    tab: 'Dieser Tab',
    computer: 'Dieser Computer',
    otherComputer: (host) => `Computer ${host}`,
    unreachable: (where) => `${where} antwortet nicht. Läuft dort der Befehl tabd?`,
    closed: (api) => `Der Port für ${api} ist dort nicht offen.`,
    useTab: 'Diesen Tab verwenden',
  },
  server: {
    starting: 'Startet…',
    inThisTab: 'Der Server läuft in diesem Tab',
    inOtherTab: 'Der Server läuft in einem anderen Tab',
    failed: 'Läuft nicht',
    answersPorts: 'Dieser Browser beantwortet nun die Ports des Befehls tabd, der diese Seite liefert.',
    noServiceWorker:
      'Dieses Fenster hat keine Service Worker (private Fenster oft nicht). Die App funktioniert, aber anderer Code auf dieser Seite kann die API nicht mit fetch aufrufen. Öffne tabd dafür in einem normalen Fenster.',
    updateReady: 'Eine neue Version ist bereit.',
    update: 'Jetzt aktualisieren',
    updateBusy: 'Gerade entsteht eine Antwort. Die Aktualisierung beginnt, wenn sie fertig ist.',
    deleted:
      'Alle Daten von tabd in diesem Browser wurden in einem anderen Tab gelöscht. Lade die Seite neu, um von vorn zu beginnen.',
  },
};
