/** All commands and options of the command line, for its parser and its help. */

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
  | 'tabs'
  | 'doctor'
  | 'backup'
  | 'restore'
  | 'migrate'
  | 'work'
  | 'completion';

export interface CommandSpec {
  usage: string;
  summary: string;
  /** How many words follow the command, and a description of them for errors. */
  operands: [min: number, max: number, description: string];
  options: OptionName[];
  /** Possible first words: these, the name of a model, or a file. */
  completes?: readonly string[] | 'models' | 'files';
  /** Shown by `tabd help COMMAND`. */
  details?: string;
}

export interface OptionSpec {
  /** The value's name in the help. Without it the option is a switch. */
  value?: string;
  /** The value of the option if no value follows it. Undefined: a value is required. */
  alone?: string;
  short?: string;
  /** Whether the option may be given several times. */
  repeats?: boolean;
  help: string;
}

const options = {
  home: { value: 'FOLDER', help: 'the folder of models and state (also: TABD_HOME)' },
  ports: {
    value: 'LIST',
    help:
      '11434,8188,5678 or any of app=, local-models=, image-workflows=, webhooks=\n' +
      'with a port number or off: --ports local-models=11435,webhooks=off',
  },
  listen: {
    value: '[ADDRESS]',
    alone: 'any',
    help: 'accept connections from other computers: on ADDRESS, or on all addresses',
  },
  'via-tab': { help: 'let browser tabs answer the ports (prints a link that connects a browser)' },
  https: {
    help:
      'also answer https on the same ports, with a certificate of this installation. On other devices\n' +
      'the page needs https for service workers and WebGPU',
  },
  'api-key': {
    value: '[KEY,...]',
    alone: '',
    help:
      'require one of these keys from all callers of the model and image ports (also: TABD_API_KEYS);\n' +
      'without a value: create a key once and store it in the home folder',
  },
  'rate-limit': { value: 'N', help: 'with --api-key: requests a minute for each key' },
  'parallel-limit': { value: 'N', help: 'with --api-key: simultaneous requests for each key' },
  'log-format': { value: 'FORMAT', help: 'text (the default), or json: one object on each line' },
  'models-folder': {
    value: 'DIR',
    repeats: true,
    help:
      "use the image models of an installation's models folder too (checkpoints/, loras/, …);\n" +
      'it is only read, and may be given several times',
  },
  'extra-model-paths-config': {
    value: 'FILE',
    repeats: true,
    help:
      'use the folders that an extra_model_paths.yaml lists (the one in the home folder is read without\n' +
      'this option); may be given several times',
  },
  cluster: {
    help:
      'serve: answer through workers (tabd work) instead of in this process; key: use the stores of the\n' +
      'cluster (TABD_DATABASE_URL, TABD_FILES_URL): see docs/scaling.md',
  },
  workers: { value: 'N', help: 'with --cluster: also start N workers on this computer' },
  apis: {
    value: 'LIST',
    help: 'do the work of these: local-models, image-workflows, webhooks (default: all)',
  },
  concurrency: { value: 'N', help: 'webhook calls at the same time (default: 100)' },
  models: { value: 'LIST', help: 'answer with these models only' },
  metrics: {
    value: '[ADDRESS:]PORT',
    help: 'answer /metrics (for Prometheus) and /healthz on this port: of this computer alone without ADDRESS',
  },
  bundle: { value: 'FILE', help: 'write the report as JSON, to attach to a bug report' },
  force: { help: 'replace existing files' },
  with: {
    value: 'MODEL',
    repeats: true,
    help: 'also install this model at the start, if it is missing; may be given several times',
  },
  'no-pull': { help: 'do not install first models' },
  yes: { short: 'y', help: 'do not ask before downloads' },
  insecure: { help: 'use plain http for the registry of the model' },
  file: { value: 'FILE', short: 'f', help: 'the Modelfile (./Modelfile; - reads standard input)' },
  quantize: { value: 'TYPE', short: 'q', help: 'quantize to this type, such as Q4_K_M' },
  json: { help: 'print the result as JSON' },
  verbose: { help: 'print more: statistics of a run, metadata and tensors of a model' },
  license: { help: 'print the licence' },
  modelfile: { help: 'print the Modelfile' },
  parameters: { help: 'print the parameters' },
  system: { help: 'print the system message' },
  template: { help: 'print the template' },
  format: { value: 'FORMAT', help: 'json, or a JSON schema that the answer must follow' },
  keepalive: { value: 'DURATION', help: 'how long the model stays loaded afterwards: 5m, 0, -1 (forever)' },
  think: { value: '[LEVEL]', alone: 'true', help: 'true, false, low, medium, high or max' },
  hidethinking: { help: "do not print the model's thinking" },
  nowordwrap: { help: 'do not wrap lines at words' },
  dimensions: { value: 'N', help: 'embedding models: shorten vectors to N numbers' },
  truncate: { value: '[BOOL]', alone: 'true', help: 'embedding models: false refuses text that is too long' },
  publish: { help: 'publish the imported workflows' },
  server: {
    value: 'ADDRESS',
    help: 'another tabd, http://host:5678 (needs one of its keys in TABD_API_KEY)',
  },
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
      'cluster',
      'workers',
      'models-folder',
      'extra-model-paths-config',
      'log-format',
      'with',
      'no-pull',
      'yes',
    ],
    details: 'Settings come from the environment (docs/environment.md): OLLAMA_HOST, OLLAMA_KEEP_ALIVE, …',
  },
  run: {
    usage: 'run MODEL [PROMPT...]',
    summary: 'answer a prompt, or start a chat',
    operands: [1, MANY, 'the name of a model'],
    completes: 'models',
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
    details: `With a prompt, or with piped standard input, it answers once. Without, it starts a chat on the terminal
(/? lists its commands). A model that is not installed is pulled first. If the model accepts images,
image files that the prompt names by path are sent too. Embedding models print the text's vector as JSON.

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
    completes: 'models',
    options: ['modelfile', 'parameters', 'system', 'template', 'license', 'verbose', 'json'],
  },
  pull: {
    usage: 'pull MODEL',
    summary: 'download a model',
    operands: [1, 1, 'the name of a model'],
    options: ['insecure', 'yes', 'json'],
    details: 'MODEL is a name (smollm2:135m), hf.co/user/repo[:Q4_K_M], or the URL of a .gguf file.',
  },
  push: {
    usage: 'push MODEL',
    summary: 'upload a model to the registry that its name contains',
    operands: [1, 1, 'the name of a model'],
    completes: 'models',
    options: ['insecure', 'json'],
  },
  create: {
    usage: 'create MODEL [-f FILE]',
    summary: 'create a model from a Modelfile',
    operands: [1, 1, 'a name for the model'],
    options: ['file', 'quantize', 'json'],
    details: `FROM names a model or a file (absolute, ~/… or relative to the Modelfile). Files are uploaded to the server.

  FROM smollm2:135m
  SYSTEM You answer in one sentence.
  PARAMETER temperature 0.2`,
  },
  import: {
    usage: 'import PATH [NAME]',
    summary: 'install a GGUF file that is already on this computer',
    operands: [1, 2, 'the path of a GGUF file'],
    completes: 'files',
    details:
      'Of a model in parts, such as model-00001-of-00003.gguf, name any part: the others must lie next to it.',
    options: ['json'],
  },
  cp: {
    usage: 'cp SOURCE NAME',
    summary: 'give a model a second name',
    operands: [2, 2, 'the name of a model and a new name'],
    completes: 'models',
    options: ['json'],
  },
  rm: {
    usage: 'rm MODEL...',
    summary: 'remove models',
    operands: [1, MANY, 'the name of a model'],
    completes: 'models',
    options: ['json'],
  },
  stop: {
    usage: 'stop MODEL',
    summary: 'unload a model',
    operands: [1, 1, 'the name of a model'],
    completes: 'models',
    options: ['json'],
  },
  workflow: {
    usage: 'workflow list|import|export|publish|...',
    summary: 'manage the workflows that webhooks start',
    operands: [1, 3, 'one of list, import, export, publish, unpublish, listen, executions, rm'],
    completes: ['list', 'import', 'export', 'publish', 'unpublish', 'listen', 'executions', 'rm'],
    options: ['publish', 'json', 'server'],
    details: `  tabd workflow list                       show all workflows
  tabd workflow import FILE [--publish]    add workflows from a JSON file (- reads standard input)
  tabd workflow export WORKFLOW [FILE]     write a workflow as JSON, to standard output without FILE
  tabd workflow publish WORKFLOW           activate its webhooks and schedules
  tabd workflow unpublish WORKFLOW         deactivate them
  tabd workflow listen WORKFLOW            wait for one call of its test URL, and show the execution
  tabd workflow executions [WORKFLOW]      show the last executions
  tabd workflow rm WORKFLOW                delete it with its executions

WORKFLOW is an id or a name.`,
  },
  key: {
    usage: 'key create|list|rm',
    summary: 'manage keys of the workflow API',
    operands: [1, 2, 'one of create, list, rm'],
    completes: ['create', 'list', 'rm'],
    options: ['json', 'server', 'cluster'],
    details: `  tabd key create [LABEL]   create a key and show it once
  tabd key list             show all keys, without their secrets
  tabd key rm ID            revoke a key

With --cluster these are the keys of a cluster, whose stores may be empty. Its workers need not run.

Programs send it as the header X-N8N-API-KEY to http://localhost:5678/api/v1/…`,
  },
  tabs: {
    usage: 'tabs [list|link|rename|home|revoke]',
    summary: 'manage the browsers that answer the ports',
    operands: [0, 3, 'one of list, link, rename, home, revoke'],
    completes: ['list', 'link', 'rename', 'home', 'revoke'],
    options: ['json'],
    details: `  tabd tabs list                   show all connected browsers with their devices and work
  tabd tabs link                   print a link that connects one browser, valid once and for an hour
  tabd tabs rename BROWSER NAME    give a browser another name
  tabd tabs home BROWSER           let this browser's workflows, images and uploads be those of the ports
  tabd tabs revoke BROWSER         disconnect a browser for good

BROWSER is an id or a name. Start the server with: tabd serve --via-tab`,
  },
  doctor: {
    usage: 'doctor',
    summary: 'check ports, GPU, threads and storage, and report problems',
    operands: [0, 0, ''],
    options: ['bundle', 'json', 'ports'],
    details: `The exit code is 1 when a problem keeps tabd from working. The bundle contains no prompts, answers, names
of models or workflows, keys, host names or paths. Read it before you send it.`,
  },
  backup: {
    usage: 'backup FILE',
    summary: 'write models, workflows, keys and settings into one file',
    operands: [1, 1, 'the file to write'],
    completes: 'files',
    options: ['force'],
    details: `Stop tabd first. The file contains keys and credentials: store it as safely as those.`,
  },
  restore: {
    usage: 'restore FILE',
    summary: 'restore a backup into the home folder',
    operands: [1, 1, 'the file of a backup'],
    completes: 'files',
    options: ['force'],
    details: `The home must be empty, unless --force allows replacing its files. They are replaced after the backup has been
unpacked and checked completely. A backup of a newer tabd is refused.`,
  },
  migrate: {
    usage: 'migrate to-cluster|to-home',
    summary: 'copy everything into the stores of a cluster, or back',
    operands: [1, 1, 'to-cluster or to-home'],
    completes: ['to-cluster', 'to-home'],
    options: [],
    details: `Stop tabd first. The stores are those of TABD_DATABASE_URL and TABD_FILES_URL (docs/scaling.md). The target must be
empty. The source stays as it is. All copies are read again and compared by their SHA-256.`,
  },
  work: {
    usage: 'work',
    summary: 'do the work of a cluster, whose doors are tabd serve --cluster',
    operands: [0, 0, ''],
    options: ['apis', 'concurrency', 'models', 'metrics', 'log-format'],
    details: `Needs TABD_DATABASE_URL, TABD_REDIS_URL, TABD_FILES_URL and N8N_ENCRYPTION_KEY, which all processes of a cluster
share (docs/scaling.md).`,
  },
  completion: {
    usage: 'completion bash|zsh|fish',
    summary: 'print a script that completes commands, options and models in a shell',
    operands: [1, 1, 'one of bash, zsh, fish'],
    completes: ['bash', 'zsh', 'fish'],
    options: [],
    details: `  bash   source <(tabd completion bash)       in ~/.bashrc
  zsh    source <(tabd completion zsh)        in ~/.zshrc, after compinit
  fish   tabd completion fish | source        in ~/.config/fish/config.fish`,
  },
};

export const ALIASES: Record<string, CommandName> = { start: 'serve', ls: 'list', remove: 'rm', copy: 'cp' };
