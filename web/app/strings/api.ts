import { decimal, listText } from '../ui/format.ts';
import { commonStrings } from './common.ts';
import { localized } from './language.ts';

/** Texts of the API view. */
export const apiStrings = localized('apiStrings', {
  heading: 'Use it from code',
  page: commonStrings.fromThisPage,
  pageSub:
    'The service worker answers these addresses on this site. Try it in the developer console: no installation, no key.',
  ollama: 'With the ollama package',
  openai: 'With the openai package',
  terminal: 'From a terminal',
  terminalSub:
    'Needs the tabd command running on this computer (npm start, or npx tabd-shim). It answers like an Ollama server, with its own models.',
  copy: commonStrings.copy,
  copied: commonStrings.copied,
  coverage: {
    heading: 'Supported endpoints',
    subtitle:
      'Every endpoint that this version implements, and those of Ollama, ComfyUI and n8n that it does not.',
    show: 'Show all endpoints',
    search: 'Search endpoints',
    noResults: 'No matching endpoints.',
    apis: {
      'local-models': 'Local models: Ollama, OpenAI, Anthropic',
      'image-workflows': 'Image workflows: ComfyUI (each also below /api)',
      webhooks: 'Webhooks and workflows: n8n',
    },
    count: (count: number) => (count === 1 ? '1 endpoint' : `${count} endpoints`),
    methods: 'Methods',
    any: 'any',
    state: 'Support',
    answered: 'answered',
    notSupported: 'not supported',
  },
  reference: {
    open: 'API reference with the fields and code for each endpoint',
    heading: 'API reference',
    back: 'Use it from code',
    subtitle: 'From the OpenAPI documents that the selected server answers.',
    document: 'OpenAPI document',
    loading: commonStrings.loading,
    failed: 'The document could not be loaded:',
    search: 'Search endpoints',
    noResults: 'No matching endpoints.',
    parameters: 'Path parameters',
    body: 'Fields of the JSON body',
    noBody: 'The document describes no body.',
    needsKey: (header: string) => `Needs an API key in the header ${header}. This page has one of its own.`,
    tryIt: 'Try it',
    code: 'Code',
    languages: { curl: 'curl', fetch: 'fetch', python: 'Python' },
    copy: (language: string) => `Copy as ${language}`,
  },
  live: {
    heading: 'Requests',
    subtitle:
      'Requests answered while this page is open, from any tab, worker or port. Headers are not shown: they may contain keys.',
    subComputer:
      'Requests that this browser answers. Requests that the ports of this computer answer themselves are not shown here. Headers are not shown: they may contain keys.',
    none: 'None yet. Send one above, or from another program.',
    method: 'Method',
    path: 'Path',
    status: commonStrings.status,
    time: 'Time',
    size: 'Size',
    tokens: 'Tokens',
    tokensTitle: 'Tokens of the prompt, then of the answer, where the answer states them',
    counts: ({ prompt, answer }: { prompt?: number; answer?: number }) =>
      [prompt, answer].filter((count) => count !== undefined).join(' → '),
    waiting: 'pending',
    duration: (ms: number) => (ms < 9950 ? `${Math.round(ms)} ms` : `${decimal(ms / 1000, 1)} s`),
    clear: 'Clear the list',
    noBody: 'No text body.',
    truncated: 'The body is too long to copy.',
    byPort: (port: string) => `Received on the port of ${port}.`,
    curl: commonStrings.copyCurl,
    fetch: 'Copy as fetch',
    python: 'Copy as Python',
    filter: 'Filter requests',
    states: 'State',
    state: { all: 'All', failed: 'Failed', running: 'Running' },
    noMatch: 'No request matches the filter.',
    timeline: 'Timeline',
    timelineTitle: 'Pale: until the response begins. Full: until it ends.',
    edit: 'Edit and send',
  },
  console: {
    heading: 'Try it',
    example: 'Examples',
    examples: {
      chat: 'Chat (Ollama)',
      openai: 'Chat (OpenAI)',
      anthropic: 'Chat (Anthropic)',
      models: 'Installed models',
      loaded: commonStrings.loadedModels,
      nodes: 'Image nodes (ComfyUI)',
      queue: 'Image queue (ComfyUI)',
    },
    body: 'Body',
    send: commonStrings.send,
    stop: commonStrings.stop,
    stopped: commonStrings.stopped,
    answer: 'Response',
    notText: '(not text)',
  },
});

/** Texts of the switch that lets a browser answer the ports. */
export const portStrings = localized('portStrings', {
  heading: 'Local ports',
  label: (ports: readonly string[]) =>
    `Serve ${ports.length === 1 ? 'port' : 'ports'} ${listText(ports)} from this browser`,
  node: 'The tabd command answers them, with its own models.',
  connected: 'A tab answers them, with its models. Keep it open.',
  waiting: 'No tab is connected, so clients get status 503. Open the link in a browser, or switch this off.',
  link: 'More browsers can share the work (see Settings). Open this link once in each, and get a new one for the next:',
  failed: 'This browser could not connect to the tabd command. Is it still running?',
});
