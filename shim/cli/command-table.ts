/** What the command line understands: data for its parser and its help. */

export type CommandName =
  | 'serve'
  | 'run'
  | 'list'
  | 'ps'
  | 'show'
  | 'pull'
  | 'push'
  | 'create'
  | 'import'
  | 'cp'
  | 'rm'
  | 'stop'
  | 'workflow'
  | 'key'
  | 'doctor'
  | 'backup'
  | 'restore';

export interface CommandSpec {
  usage: string;
  summary: string;
  /** How many words follow, at least and at most, and what they are. */
  operands: [least: number, most: number, what: string];
  options: OptionName[];
  /** Shown by `tabd help COMMAND`. */
  details?: string;
}

export interface OptionSpec {
  /** What its value is called; without one it is a switch. */
  value?: string;
  /** The value that it has when it stands alone. */
  alone?: string;
  short?: string;
  help: string;
}

const options = {
  home: { value: 'FOLDER', help: 'where models and state live (also: TABD_HOME)' },
  ports: {
    value: 'LIST',
    help:
      '11434,8188,5678 or any of app=, local-models=, image-workflows=, webhooks=\n' +
      'with a port number or off: --ports local-models=11435,webhooks=off',
  },
  listen: {
    value: '[ADDRESS]',
    alone: 'any',
    help: 'be reachable from other computers too: on ADDRESS, or on all addresses',
  },
  'via-tab': { help: 'let an open tab answer the ports (prints a link to connect one)' },
  https: {
    help:
      'answer https too, on the same ports, with a certificate of this installation: a phone needs it\n' +
      'for the page (service workers, WebGPU)',
  },
  'api-key': {
    value: '[KEY,...]',
    alone: '',
    help:
      'ask every caller of the model and image ports for one of these keys (also: TABD_API_KEYS);\n' +
      'alone: for a key that is made once and kept in the home',
  },
  'rate-limit': { value: 'N', help: 'with --api-key: requests a minute for each key' },
  'parallel-limit': { value: 'N', help: 'with --api-key: requests at once for each key' },
  'log-format': { value: 'FORMAT', help: 'text (the default), or json: one object a line' },
  bundle: { value: 'FILE', help: 'write the report as JSON, to send along with a question' },
  force: { help: 'replace what is there' },
  'no-pull': { help: 'do not fetch a first model' },
  yes: { short: 'y', help: 'do not ask before downloads' },
  insecure: { help: 'plain http to the registry of the model' },
  file: { value: 'FILE', short: 'f', help: 'the Modelfile (./Modelfile; - reads standard input)' },
  quantize: { value: 'TYPE', short: 'q', help: 'quantize to this type, such as Q4_K_M' },
  json: { help: "print the API's answer as it is" },
  verbose: { help: 'say more: statistics of a run, metadata and tensors of a model' },
  license: { help: 'print the licence' },
  modelfile: { help: 'print the Modelfile' },
  parameters: { help: 'print the parameters' },
  system: { help: 'print the system message' },
  template: { help: 'print the template' },
  format: { value: 'FORMAT', help: 'json, or a JSON schema that every answer must follow' },
  keepalive: { value: 'DURATION', help: 'how long the model stays loaded afterwards: 5m, 0, -1 (for good)' },
  think: { value: '[LEVEL]', alone: 'true', help: 'true, false, low, medium, high or max' },
  hidethinking: { help: 'do not print what the model thinks' },
  nowordwrap: { help: 'do not move words to the next line' },
  dimensions: { value: 'N', help: 'embedding models: cut vectors to N numbers' },
  truncate: { value: '[BOOL]', alone: 'true', help: 'embedding models: false refuses text that is too long' },
  publish: { help: 'publish what was imported' },
  server: { value: 'ADDRESS', help: 'a tabd elsewhere, http://host:5678 (with a key of it in TABD_API_KEY)' },
  help: { short: 'h', help: '' },
  version: { short: 'v', help: '' },
} satisfies Record<string, OptionSpec>;

export type OptionName = keyof typeof options;
export const OPTIONS: Record<OptionName, OptionSpec> = options;

const MANY = Number.POSITIVE_INFINITY;

export const COMMANDS: Record<CommandName, CommandSpec> = {
  serve: {
    usage: '[serve]',
    summary: 'start the page and the ports',
    operands: [0, 0, ''],
    options: [
      'ports',
      'listen',
      'https',
      'api-key',
      'rate-limit',
      'parallel-limit',
      'via-tab',
      'log-format',
      'no-pull',
      'yes',
    ],
    details: 'Settings come from the environment (docs/environment.md): OLLAMA_HOST, OLLAMA_KEEP_ALIVE, …',
  },
  run: {
    usage: 'run MODEL [PROMPT...]',
    summary: 'ask a model, or talk with it',
    operands: [1, MANY, 'the name of a model'],
    options: [
      'format',
      'keepalive',
      'think',
      'hidethinking',
      'verbose',
      'nowordwrap',
      'insecure',
      'dimensions',
      'truncate',
      'yes',
    ],
    details: `With a prompt, or with standard input that is no terminal, it answers once; without, it is a conversation
(/? lists its commands). A model that is not installed is pulled first. Paths of images in a prompt are
sent along where the model can see. Embedding models print the vector of the text as JSON.

  tabd run smollm2:135m "Why is the sky blue?"
  tabd run smollm2:135m "Summarize:" < report.txt`,
  },
  list: {
    usage: 'list [PREFIX]',
    summary: 'show the installed models',
    operands: [0, 1, ''],
    options: ['json'],
  },
  ps: {
    usage: 'ps',
    summary: 'show the models that are loaded',
    operands: [0, 0, ''],
    options: ['json'],
  },
  show: {
    usage: 'show MODEL',
    summary: 'describe a model',
    operands: [1, 1, 'the name of a model'],
    options: ['modelfile', 'parameters', 'system', 'template', 'license', 'verbose', 'json'],
  },
  pull: {
    usage: 'pull MODEL',
    summary: 'download a model',
    operands: [1, 1, 'the name of a model'],
    options: ['insecure', 'yes'],
    details: 'MODEL is a name (smollm2:135m), hf.co/user/repo[:Q4_K_M], or the address of a .gguf file.',
  },
  push: {
    usage: 'push MODEL',
    summary: 'upload a model to the registry in its name',
    operands: [1, 1, 'the name of a model'],
    options: ['insecure'],
  },
  create: {
    usage: 'create MODEL [-f FILE]',
    summary: 'make a model from a Modelfile',
    operands: [1, 1, 'a name for the model'],
    options: ['file', 'quantize'],
    details: `FROM names a model or a file (absolute, ~/… or beside the Modelfile); files are sent to the server.

  FROM smollm2:135m
  SYSTEM You answer in one sentence.
  PARAMETER temperature 0.2`,
  },
  import: {
    usage: 'import PATH [NAME]',
    summary: 'install a GGUF file that is already on this computer',
    operands: [1, 2, 'the path of a GGUF file'],
    options: [],
  },
  cp: {
    usage: 'cp SOURCE NAME',
    summary: 'give a model a second name',
    operands: [2, 2, 'the name of a model and a new name'],
    options: [],
  },
  rm: {
    usage: 'rm MODEL...',
    summary: 'remove models',
    operands: [1, MANY, 'the name of a model'],
    options: [],
  },
  stop: {
    usage: 'stop MODEL',
    summary: 'unload a model',
    operands: [1, 1, 'the name of a model'],
    options: [],
  },
  workflow: {
    usage: 'workflow list|import|export|publish|...',
    summary: 'manage the workflows that webhooks start',
    operands: [1, 3, 'one of list, import, export, publish, unpublish, listen, executions, rm'],
    options: ['publish', 'json', 'server'],
    details: `  tabd workflow list                       what there is
  tabd workflow import FILE [--publish]    take in a workflow (JSON; - reads standard input)
  tabd workflow export WORKFLOW [FILE]     write it as JSON, to standard output without FILE
  tabd workflow publish WORKFLOW           let its addresses answer
  tabd workflow unpublish WORKFLOW         let them answer no more
  tabd workflow listen WORKFLOW            wait for one call of its test address, and show what happens
  tabd workflow executions [WORKFLOW]      the last runs
  tabd workflow rm WORKFLOW                delete it with its runs

WORKFLOW is an id or a name.`,
  },
  key: {
    usage: 'key create|list|rm',
    summary: 'keys for programs that manage workflows',
    operands: [1, 2, 'one of create, list, rm'],
    options: ['json', 'server'],
    details: `  tabd key create [LABEL]   make a key and show it, this once
  tabd key list             the keys there are
  tabd key rm ID            withdraw a key

Programs send it as the header X-N8N-API-KEY to http://localhost:5678/api/v1/…`,
  },
  doctor: {
    usage: 'doctor',
    summary: 'look at ports, GPU, threads and storage, and say what is wrong',
    operands: [0, 0, ''],
    options: ['bundle', 'json', 'ports'],
    details: `Exit code 1 when something would keep tabd from working. The bundle holds no prompts, answers, names of
models or workflows, keys, host names or paths of yours: read it before you send it.`,
  },
  backup: {
    usage: 'backup FILE',
    summary: 'write models, workflows, keys and settings into one file',
    operands: [1, 1, 'the file to write'],
    options: ['force'],
    details: `Stop tabd before: a backup is of one moment. The file holds keys and credentials: keep it as you keep them.`,
  },
  restore: {
    usage: 'restore FILE',
    summary: 'put a backup back, in place of what is there',
    operands: [1, 1, 'the file of a backup'],
    options: ['force'],
    details: `Into an empty home, or with --force in place of what is there, which is kept beside it until the backup is
whole. A backup of a newer tabd is refused.`,
  },
};

export const ALIASES: Record<string, CommandName> = { start: 'serve', ls: 'list', remove: 'rm', copy: 'cp' };
