import { commonStrings } from './common.ts';

/** Texts of the frame around the views. */
export const appStrings = {
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
  },
  device: {
    noModelLoaded: commonStrings.noModelLoaded,
    noModel: commonStrings.noModel,
    loadsOnFirstUse: (model: string) => `${model} · loads on first use`,
    gpu: commonStrings.gpu,
    cpu: 'CPU',
  },
  servers: {
    label: 'Server',
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
    answersPorts: 'This browser now answers the ports of the tabd that served this page.',
    noServiceWorker:
      'This window has no service workers (private windows often have none). The app works, but other code on this page cannot call the API with fetch. Open tabd in a normal window for that.',
    updateReady: 'A new version is ready.',
    update: 'Update now',
    updateBusy: 'An answer is running. The update starts when it ends.',
    deleted: 'All tabd data in this browser was deleted in another tab. Reload the page to start again.',
  },
} as const;
