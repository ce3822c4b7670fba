import { commonStrings } from './common.ts';
import { localized } from './language.ts';

/** Texts of the frame around the views. */
export const appStrings = localized('appStrings', {
  title: 'tabd',
  skip: 'Skip to the content',
  nav: {
    chat: commonStrings.chat,
    images: commonStrings.images,
    workflows: commonStrings.workflows,
    models: commonStrings.models,
    api: 'API',
    settings: commonStrings.settings,
    selftest: commonStrings.selftest,
    cluster: 'Cluster',
    'not-found': 'Page not found',
  },
  notFound: {
    heading: 'Page not found',
    text: (address: string) => `tabd has no page at ${address}.`,
    home: 'Go to the chat',
  },
  colorScheme: (scheme: 'system' | 'light' | 'dark') =>
    ({ system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' })[scheme],
  palette: {
    open: 'Search or jump to…',
    key: 'Ctrl K',
    placeholder: 'Search pages, chats, models and actions',
    noResults: 'No results.',
    chatWith: (model: string) => `Chat with ${model}`,
    groups: { views: 'Pages', actions: 'Actions', models: 'Models', theme: 'Appearance', chats: 'Chats' },
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    groups: [
      {
        name: 'Everywhere',
        keys: [
          ['Ctrl + K', 'Search or jump to…'],
          ['Ctrl + Shift + O', 'New chat'],
          ['?', 'Keyboard shortcuts'],
        ],
      },
      {
        name: commonStrings.chat,
        keys: [
          ['Enter', 'Send, or queue while an answer is being generated'],
          ['Shift + Enter', 'New line'],
          ['Esc', 'Stop the answer'],
          ['↑', 'Edit your last message'],
        ],
      },
      {
        name: commonStrings.workflows,
        keys: [
          ['Ctrl + S', 'Save'],
          ['Ctrl + Z', 'Undo'],
          ['Ctrl + Shift + Z', 'Redo'],
        ],
      },
      {
        name: 'Graph editor',
        keys: [
          ['A', 'Add a node'],
          ['Ctrl + Enter', 'Run'],
          ['?', 'All its shortcuts'],
        ],
      },
    ],
  },
  device: {
    noModelLoaded: commonStrings.noModelLoaded,
    noModel: commonStrings.noModel,
    loaded: (model: string, device: string) => `${model} · ${device}`,
    loadsOnFirstUse: (model: string) => `${model} · loads on first use`,
    gpu: commonStrings.gpu,
    cpu: 'CPU',
  },
  servers: {
    label: 'Server',
    hint: 'This tab: models and data in this browser. This computer: those of the tabd command.',
    tab: 'This tab',
    computer: 'This computer',
    otherComputer: (host: string) => `Computer ${host}`,
    unreachable: (where: string) => `${where} does not answer. Is the tabd command running there?`,
    closed: (api: string) => `The port for ${api} is not open there.`,
    useTab: 'Use this tab',
  },
  server: {
    starting: 'Starting…',
    inThisTab: 'The server runs in this tab',
    inOtherTab: 'The server runs in another tab',
    failed: 'Not running',
    answersPorts: 'This browser now answers the ports of the tabd command that serves this page.',
    noServiceWorker:
      'This window has no service workers (private windows often have none). The app works, but other code on this page cannot call the API with fetch. Open tabd in a normal window for that.',
    updateReady: 'A new version is ready.',
    update: 'Update now',
    updateBusy: 'An answer is being generated. The update starts when it is finished.',
    deleted: 'All tabd data in this browser was deleted in another tab. Reload the page to start again.',
  },
});
